import DataLoader from 'dataloader';
import * as RA from 'fp-ts/ReadonlyArray';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { within } from './within';

interface Options<K, V> {
  readonly maxBatchSize: number;
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
 * Gathers what arrives while a batch is in flight into the next one; what comes to an idle batcher goes at once.
 * Nothing is kept: a call never joins a batch that began before it.
 */
export const batchWhileBusy = <K, V extends object>({ maxBatchSize, patience, runBatch }: Options<K, V>) => {
  let running: Promise<unknown> = Promise.resolve();
  let turn: Promise<unknown> = Promise.resolve();

  const runPatient = async (batch: ReadonlyArray<Waiting<K>>): Promise<ReadonlyArray<V | Error>> => {
    const now = performance.now();
    const patient = batch.filter(({ until }) => until > now);
    if (patient.length === 0) return batch.map(() => notBegun);
    const results = await runBatch(patient.map(({ key }) => key));
    const answers = new Map(RA.zip(patient, results));
    return batch.map((call) => answers.get(call) ?? notBegun);
  };

  const loader = new DataLoader<Waiting<K>, V>(
    (batch) => {
      const results = runPatient(batch);
      running = results.catch(() => undefined);
      return results;
    },
    {
      cache: false,
      maxBatchSize,
      batchScheduleFn: (dispatch) => {
        turn = turn
          .then(() => nextTurn())
          .then(() => {
            dispatch();
            return running;
          });
      },
    },
  );

  return (key: K): Promise<V> => within(patience, loader.load({ key, until: performance.now() + patience }));
};
