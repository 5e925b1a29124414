/** How much goes into one batch. */
export interface BatchLimits<A> {
  readonly maxBatchSize: number;
  /** What the members of a batch may weigh together; one that weighs more goes alone. */
  readonly maxBatchWeight?: number;
  readonly weightOf?: (member: A) => number;
}

/** Answers for one member after another whether it fits into the batch of those before it, and counts it if so. */
export const roomFor = <A>({
  maxBatchSize,
  maxBatchWeight = Infinity,
  weightOf = () => 0,
}: BatchLimits<A>) => {
  let size = 0;
  let weight = 0;
  return (member: A): boolean => {
    const weightWithIt = weight + weightOf(member);
    if (size === maxBatchSize || (size > 0 && weightWithIt > maxBatchWeight)) return false;
    size += 1;
    weight = weightWithIt;
    return true;
  };
};
