interface Bounds<A> {
  readonly maxCount: number;
  /** A batch that has come to this size takes no more. */
  readonly fullSize: number;
  readonly sizeOf: (one: A) => number;
}

/** Gathers what a source gives into batches; only the last may be smaller. Reads no further than asked. */
export async function* batchesOf<A>(
  { maxCount, fullSize, sizeOf }: Bounds<A>,
  source: AsyncIterable<A>,
): AsyncGenerator<ReadonlyArray<A>> {
  let batch: Array<A> = [];
  let size = 0;
  for await (const one of source) {
    batch.push(one);
    size += sizeOf(one);
    if (batch.length < maxCount && size < fullSize) continue;
    yield batch;
    batch = [];
    size = 0;
  }
  if (batch.length > 0) yield batch;
}
