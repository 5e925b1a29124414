import type { Deadline } from '../../../core';
import { type BatchLimits, roomFor } from './batch-limits';
import { expiringSet } from './expiring-set';

interface Options<K, V> extends BatchLimits<K> {
  /** Calls of one kind share batches; by default all do. */
  readonly kindOf?: (key: K) => string;
  /** How many batches may be in flight together. */
  readonly lanes: number;
  /** How long a call waits for its answer, and how long a batch keeps its lane, at most, in milliseconds. */
  readonly timeoutMs: number;
  /** Answers each key in its place; an Error there fails that one call. */
  readonly runBatch: (keys: ReadonlyArray<K>) => Promise<ReadonlyArray<V | Error>>;
}

interface Call<K, V> {
  readonly key: K;
  readonly kind: string;
  readonly beginBy: number;
  readonly endBy: number;
  readonly resolve: (value: V) => void;
  readonly reject: (error: unknown) => void;
}

/** What is begun with less time left, in milliseconds, would be given up midway, and nobody would know what it did. */
const leastTimeLeft = 20;

/**
 * Gathers what arrives while all lanes are busy into the next batch; calls that find a free lane go together at the end
 * of their turn of the event loop. Nothing is kept: a call never joins a batch that began before it. Each call ends at
 * its own deadline, whatever becomes of its batch.
 */
export const batchWhileBusy = <K, V extends object>({
  lanes,
  timeoutMs,
  runBatch,
  kindOf = () => '',
  ...limits
}: Options<K, V>): ((key: K, deadline?: Deadline) => Promise<V>) => {
  const waiting = expiringSet<Call<K, V>>(
    ({ beginBy }) => beginBy,
    ({ reject }) => {
      reject(new Error('the database was too busy to begin in time'));
    },
  );
  const begun = expiringSet<Call<K, V>>(
    ({ endBy }) => endBy,
    ({ reject }) => {
      reject(new Error('the database, or a free connection to it, did not come in time'));
    },
  );
  const inFlight = expiringSet<{ readonly endBy: number }>(
    ({ endBy }) => endBy,
    () => {
      dispatch();
    },
  );
  let isDispatchSet = false;

  const takeBatch = (): ReadonlyArray<Call<K, V>> => {
    const calls: Array<Call<K, V>> = [];
    const fits = roomFor(limits);
    for (const call of waiting.members) {
      if (calls[0] !== undefined && call.kind !== calls[0].kind) continue;
      if (!fits(call.key)) break;
      waiting.delete(call);
      begun.add(call);
      calls.push(call);
    }
    return calls;
  };

  const run = (calls: ReadonlyArray<Call<K, V>>): void => {
    const lane = { endBy: performance.now() + timeoutMs };
    inFlight.add(lane);
    const end = (settle: (call: Call<K, V>, place: number) => void): void => {
      for (const [place, call] of calls.entries()) if (begun.delete(call)) settle(call, place);
      if (!inFlight.delete(lane)) return;
      dispatch();
      // The answers let in others who waited: their calls go at once, though under overload the turn goes on for long.
      process.nextTick(dispatch);
    };
    runBatch(calls.map(({ key }) => key)).then(
      (answers) => {
        end(({ resolve, reject }, place) => {
          const answer = answers[place] ?? new Error('the batch left this call without an answer');
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
    waiting.expireOverdue();
    while (waiting.members.size > 0 && inFlight.members.size < lanes) run(takeBatch());
  };

  return (key, deadline = Infinity) =>
    new Promise((resolve, reject) => {
      const now = performance.now();
      const endBy = Math.min(deadline, now + timeoutMs);
      const beginBy = endBy - Math.max(leastTimeLeft, (endBy - now) / 4);
      waiting.add({ key, kind: kindOf(key), beginBy, endBy, resolve, reject });
      if (isDispatchSet || inFlight.members.size >= lanes) return;
      isDispatchSet = true;
      setImmediate(dispatch);
    });
};
