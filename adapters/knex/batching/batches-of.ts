/** Gathers what a source gives into batches of `size`; the last may be smaller. Reads no further than asked. */
export async function* batchesOf<A>(
  size: number,
  source: AsyncIterable<A>,
): AsyncGenerator<ReadonlyArray<A>> {
  let batch: Array<A> = [];
  for await (const one of source) {
    batch.push(one);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
