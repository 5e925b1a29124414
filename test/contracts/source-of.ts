/** Yields values on demand. Calls `before` with the index of each value, and once at the end. */
export async function* sourceOf<A>(
  all: ReadonlyArray<A>,
  before: (index: number) => void | Promise<void> = () => undefined,
): AsyncGenerator<A> {
  for (const [index, each] of all.entries()) {
    await before(index);
    yield each;
  }
  await before(all.length);
}
