const mark = /\.generation-([0-9]+)$/;

/**
 * The generation of a schema, from the names of its migrations. One that only adds leaves it; one that breaks programs
 * which do not know it begins the next, and says so in its name: `012_drop_status.generation-2`.
 */
export const generationOf = (names: ReadonlyArray<string>): number =>
  names.reduce((generation, name) => Math.max(generation, Number(mark.exec(name)?.[1] ?? 1)), 1);
