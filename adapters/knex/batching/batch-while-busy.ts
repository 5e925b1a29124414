import DataLoader from 'dataloader';
import { within } from '../database/within';

interface Options<K, V> {
  readonly maxBatchSize: number;
  /** How long a call waits for its answer at most, in milliseconds. A batch that has waited too long is not begun. */
  readonly patience: number;
  /** Answers each key in its place; an Error there fails that one call. */
  readonly runBatch: (keys: ReadonlyArray<K>) => Promise<ReadonlyArray<V | Error>>;
}

interface WaitingBatch {
  readonly dispatch: () => void;
  readonly until: number;
}

/**
 * Gathers what arrives while a batch is in flight into the next one; what comes to an idle batcher goes at once.
 * Nothing is kept: a call never joins a batch that began before it.
 */
export const batchWhileBusy = <K, V extends object>({
  maxBatchSize,
  patience,
  runBatch,
}: Options<K, V>): ((key: K) => Promise<V>) => {
  const waiting: Array<WaitingBatch> = [];
  let isBusy = false;
  let until = 0;

  const begin = (): void => {
    const next = isBusy ? undefined : waiting.shift();
    if (next === undefined) return;
    until = next.until;
    next.dispatch();
  };

  const loader = new DataLoader<K, V>(
    async (keys) => {
      const left = until - performance.now();
      isBusy = true;
      try {
        // With little time left it would be given up midway, and nobody would know what it did.
        if (left < patience / 4) throw new Error('the database was too busy to begin in time');
        return await within(left, runBatch(keys));
      } finally {
        isBusy = false;
        begin();
      }
    },
    {
      cache: false,
      maxBatchSize,
      batchScheduleFn: (dispatch) => {
        waiting.push({ dispatch, until: performance.now() + patience });
        setImmediate(begin);
      },
    },
  );
  return (key) => loader.load(key);
};
