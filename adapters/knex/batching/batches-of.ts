import { type BatchLimits, roomFor } from './batch-limits';

/** Gathers what a source gives into batches. Reads no further than asked, but for the first member of the next. */
export async function* batchesOf<A>(
  limits: BatchLimits<A>,
  source: AsyncIterable<A>,
): AsyncGenerator<ReadonlyArray<A>> {
  let batch: Array<A> = [];
  let fits = roomFor(limits);
  for await (const one of source) {
    if (!fits(one)) {
      yield batch;
      batch = [];
      fits = roomFor(limits);
      fits(one);
    }
    batch.push(one);
  }
  if (batch.length > 0) yield batch;
}
