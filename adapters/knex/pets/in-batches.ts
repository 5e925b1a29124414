/**
 * Yields the elements of a source in batches of `size`. Throws at the next element after `signal` is aborted.
 */
export async function* inBatches<A>(
  source: Iterable<A> | AsyncIterable<A>,
  size: number,
  signal?: AbortSignal,
): AsyncGenerator<ReadonlyArray<A>> {
  let batch: Array<A> = [];
  for await (const element of source) {
    signal?.throwIfAborted();
    batch.push(element);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
