/** Reports whether texts are equal or one edit apart: one character added, removed or replaced, or two swapped. */
export const isOneEditApart = (one: string, other: string): boolean => {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  const [left, right] = [one.slice(same), other.slice(same)];
  const transposed = `${right.charAt(1)}${right.charAt(0)}${right.slice(2)}`;
  return (
    left === right.slice(1) ||
    left.slice(1) === right ||
    left.slice(1) === right.slice(1) ||
    left === transposed
  );
};
