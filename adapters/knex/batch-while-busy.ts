import DataLoader from 'dataloader';
import * as RA from 'fp-ts/ReadonlyArray';
import { within } from './within';

interface Options<K, V> {
  readonly maxBatchSize: number;
  /** How many batches may be in flight at once. */
  readonly maxInFlight: number;
  /** How long a call waits for its answer, in milliseconds. A call that waited in vain is not begun any more. */
  readonly patience: number;
  /** Answers each key in its place; an Error there fails that one call. */
  readonly runBatch: (keys: ReadonlyArray<K>) => Promise<ReadonlyArray<V | Error>>;
}

interface Waiting<K> {
  readonly key: K;
  readonly until: number;
}

const notBegun = new Error('the database was too busy to begin in time');

/**
 * Gathers what arrives while all batches that may be in flight are so into the next one; what comes to an idle
 * batcher goes at once. Nothing is kept: a call never joins a batch that began before it.
 */
export const batchWhileBusy = <K, V extends object>({
  maxBatchSize,
  maxInFlight,
  patience,
  runBatch,
}: Options<K, V>) => {
  let inFlight = 0;
  const waiting: Array<() => void> = [];

  const begin = (): void => {
    if (inFlight < maxInFlight) waiting.shift()?.();
  };

  const runPatient = async (batch: ReadonlyArray<Waiting<K>>): Promise<ReadonlyArray<V | Error>> => {
    const now = performance.now();
    const patient = batch.filter(({ until }) => until > now);
    if (patient.length === 0) return batch.map(() => notBegun);
    const results = await runBatch(patient.map(({ key }) => key));
    const answers = new Map(RA.zip(patient, results));
    return batch.map((call) => answers.get(call) ?? notBegun);
  };

  const loader = new DataLoader<Waiting<K>, V>(
    async (batch) => {
      inFlight += 1;
      try {
        return await runPatient(batch);
      } finally {
        inFlight -= 1;
        begin();
      }
    },
    {
      cache: false,
      maxBatchSize,
      batchScheduleFn: (dispatch) => {
        waiting.push(dispatch);
        setImmediate(begin);
      },
    },
  );

  return (key: K): Promise<V> => within(patience, loader.load({ key, until: performance.now() + patience }));
};
