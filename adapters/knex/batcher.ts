import type { Deadline } from '../../core';

/**
 * Minimum time that must remain before a deadline to start a database call. A call that starts later would time out
 * midway, with an unknown outcome.
 */
const minTimeLeftMs = 20;

export interface BatchLimits<K> {
  readonly maxBatchSize: number;
  readonly maxBatchCost?: number;
  readonly cost?: (key: K) => number;
}

const batchBudget = <K>({
  maxBatchSize,
  maxBatchCost = Infinity,
  cost = () => 0,
}: BatchLimits<K>): ((key: K) => boolean) => {
  let size = 0;
  let total = 0;
  return (key) => {
    const totalWithIt = total + cost(key);
    if (size === maxBatchSize || (size > 0 && totalWithIt > maxBatchCost)) return false;
    size += 1;
    total = totalWithIt;
    return true;
  };
};

export async function* inBatches<K>(
  source: AsyncIterable<K>,
  limits: BatchLimits<K>,
): AsyncGenerator<ReadonlyArray<K>> {
  let batch: Array<K> = [];
  let fits = batchBudget(limits);
  for await (const key of source) {
    if (!fits(key)) {
      yield batch;
      batch = [];
      fits = batchBudget(limits);
      fits(key);
    }
    batch.push(key);
  }
  if (batch.length > 0) yield batch;
}

export type OnBatch = (size: number, milliseconds: number) => void;

interface Options<K, V> extends BatchLimits<K> {
  readonly batchKey?: (key: K) => string;
  /**
   * Returns a text that identifies the client of a call. Clients take turns in starting a batch, so that a client with
   * many queued calls does not starve the others.
   */
  readonly shareKey?: (key: K) => string;
  readonly concurrency: number;
  readonly timeoutMs: number;
  readonly runBatch: (keys: ReadonlyArray<K>) => Promise<ReadonlyArray<V | Error>>;
  readonly onBatch?: OnBatch | undefined;
}

/**
 * Maximum time for which `setImmediate` keeps the event loop awake while a batch of a single call runs. A sleeping
 * event loop takes about 50 µs to wake, which would make the reads of a single client a fifth slower. With several
 * calls in the batch, the requests of other clients need that processor time.
 */
const keepAwakeMs = 0.3;

interface Call<K, V> {
  readonly key: K;
  readonly batchKey: string;
  readonly beginBy: number;
  readonly endBy: number;
  readonly resolve: (value: V) => void;
  readonly reject: (error: unknown) => void;
  isSettled: boolean;
}

interface Batch<K, V> {
  readonly calls: ReadonlyArray<Call<K, V>>;
  readonly endBy: number;
}

/**
 * Makes a function that runs concurrent calls together, in batches; pets/read.ts, pets/create.ts and
 * api-keys/knex-authenticate.ts use it. While `concurrency` batches are running, new calls are queued and become the
 * next batch. While fewer batches are running, the calls of one tick of the event loop form a batch. A call never joins
 * a batch that has started, because the result could be stale. Each call rejects at its own deadline.
 */
export const createBatcher = <K, V extends object>({
  concurrency,
  timeoutMs,
  runBatch,
  batchKey = () => '',
  shareKey,
  onBatch,
  ...limits
}: Options<K, V>): ((key: K, deadline?: Deadline) => Promise<V>) => {
  let waiting: Array<Call<K, V>> = [];
  const running = new Set<Batch<K, V>>();
  const lastTurns = new Map<string, number>();
  let turn = 0;
  let isDispatchSet = false;
  let timer: NodeJS.Timeout | undefined;
  let nextExpiry = Infinity;
  let lastBatchMs = Infinity;

  const keepAwakeUntil = (time: number): void => {
    if (running.size > 0 && performance.now() < time) setImmediate(keepAwakeUntil, time);
  };

  const wakeAt = (time: number): void => {
    if (time >= nextExpiry) return;
    clearTimeout(timer);
    nextExpiry = time;
    timer = setTimeout(() => {
      expire();
      dispatch();
    }, time - performance.now()).unref();
  };

  const expire = (): void => {
    const now = performance.now();
    const hasPassed = (time: number): boolean => {
      if (time > now) wakeAt(time);
      return time <= now;
    };
    nextExpiry = Infinity;
    waiting = waiting.filter((call) => {
      if (!hasPassed(call.beginBy)) return true;
      call.reject(new Error('the database was too busy to start the query in time'));
      return false;
    });
    for (const batch of running) {
      for (const call of batch.calls) {
        if (call.isSettled || !hasPassed(call.endBy)) continue;
        call.isSettled = true;
        call.reject(new Error('timed out waiting for the database or a free connection to it'));
      }
      if (hasPassed(batch.endBy)) running.delete(batch);
    }
  };

  const pickFirst = (): Call<K, V> | undefined => {
    if (shareKey === undefined) return waiting[0];
    const lastTurnOf = ({ key }: Call<K, V>): number => lastTurns.get(shareKey(key)) ?? -1;
    let first = waiting[0];
    for (const call of waiting) if (first !== undefined && lastTurnOf(call) < lastTurnOf(first)) first = call;
    if (first !== undefined) lastTurns.set(shareKey(first.key), (turn += 1));
    return first;
  };

  const takeBatch = (first: Call<K, V>): ReadonlyArray<Call<K, V>> => {
    const fits = batchBudget(limits);
    const calls = [first];
    let isFull = !fits(first.key);
    const isLeft = (call: Call<K, V>): boolean => {
      if (call === first) return false;
      if (isFull || call.batchKey !== first.batchKey) return true;
      isFull = !fits(call.key);
      if (!isFull) calls.push(call);
      return isFull;
    };
    waiting = waiting.filter(isLeft);
    if (waiting.length === 0) lastTurns.clear();
    return calls;
  };

  const run = (calls: ReadonlyArray<Call<K, V>>): void => {
    const began = performance.now();
    const batch = { calls, endBy: began + timeoutMs };
    running.add(batch);
    wakeAt(batch.endBy);
    for (const { endBy } of calls) wakeAt(endBy);
    if (calls.length === 1 && lastBatchMs < keepAwakeMs) keepAwakeUntil(began + keepAwakeMs);
    const end = (settle: (call: Call<K, V>, place: number) => void): void => {
      lastBatchMs = performance.now() - began;
      onBatch?.(calls.length, lastBatchMs);
      calls.forEach((call, place) => {
        if (call.isSettled) return;
        call.isSettled = true;
        settle(call, place);
      });
      if (!running.delete(batch)) return;
      dispatch();
      // When calls settle, their HTTP requests end. Queued requests then start and make new calls, which `nextTick`
      // dispatches sooner than `setImmediate` would.
      process.nextTick(dispatch);
    };
    runBatch(calls.map(({ key }) => key)).then(
      (answers) => {
        end(({ resolve, reject }, place) => {
          const answer =
            answers[place] ??
            new Error('internal error: a batched query returned no result for one of its calls');
          if (answer instanceof Error) reject(answer);
          else resolve(answer);
        });
      },
      (error: unknown) => {
        end(({ reject }) => {
          reject(error);
        });
      },
    );
  };

  const dispatch = (): void => {
    isDispatchSet = false;
    if (performance.now() >= nextExpiry) expire();
    while (running.size < concurrency) {
      const first = pickFirst();
      if (first === undefined) return;
      run(takeBatch(first));
    }
  };

  return (key, deadline = Infinity) =>
    new Promise((resolve, reject) => {
      const now = performance.now();
      const endBy = Math.min(deadline, now + timeoutMs);
      const beginBy = endBy - Math.max(minTimeLeftMs, (endBy - now) / 4);
      waiting.push({ key, batchKey: batchKey(key), beginBy, endBy, resolve, reject, isSettled: false });
      wakeAt(beginBy);
      if (isDispatchSet || running.size >= concurrency) return;
      isDispatchSet = true;
      setImmediate(dispatch);
    });
};
