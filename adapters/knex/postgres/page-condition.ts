/**
 * Which animals a page may hold, in their order: from an id on, of those with the wanted values in these columns. Of the first
 * column it is a stretch of its index on column and id: `column = wanted` would say the same, and let the planner walk
 * along the primary key instead, past all that have another value.
 */
export const pageCondition = (
  columns: ReadonlyArray<string>,
  from: string,
  wanted: (place: number) => string,
): string => {
  const [first, ...others] = columns;
  if (first === undefined) return `pets.id >= ${from} order by pets.id`;
  const stretch = `(${first}, pets.id) >= (${wanted(0)}, ${from}) and ${first} <= ${wanted(0)}`;
  const equal = others.map((column, place) => ` and ${column} = ${wanted(place + 1)}`);
  return `${stretch}${equal.join('')} order by pets.${first}, pets.id`;
};
