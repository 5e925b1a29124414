/** What all values past the bound have in common. */
const other = '_OTHER';

/** Lets so many different values of a label through; each later one is `_OTHER`, so that series stay few. */
export const boundedLabel = (most: number): ((value: string) => string) => {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= most) return other;
    known.add(value);
    return value;
  };
};
