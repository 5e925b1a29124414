import { setImmediate } from 'node:timers/promises';

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

/**
 * Yields batches as `inBatches` does. Reads the next batch one turn of the event loop later, so that the consumer first
 * sends the current one. Stops reading if the consumer stops.
 */
export async function* readAhead<A>(
  source: AsyncIterable<A>,
  size: number,
  signal: AbortSignal,
): AsyncGenerator<ReadonlyArray<A>> {
  const stopped = new AbortController();
  const batches = inBatches(source, size, AbortSignal.any([signal, stopped.signal]));
  const read = () => {
    const next = setImmediate().then(() => batches.next());
    // Prevents an unhandled rejection. If the consumer stops, nothing awaits this promise.
    next.catch(() => undefined);
    return next;
  };
  try {
    for (let next = read(); ;) {
      const result = await next;
      if (result.done === true) return;
      next = read();
      yield result.value;
    }
  } finally {
    stopped.abort();
    // Closes the source, but does not wait until it is closed, because the source may still be waiting for its next
    // element.
    batches.return(undefined).catch(() => undefined);
  }
}
