import { setTimeout as delay } from 'node:timers/promises';
import type { Task } from 'fp-ts/Task';
import { defaultPageSize } from '../../../core';
import type { Database } from '../database/database';
import { generationMismatch, readSchemaState } from '../migrations/schema-state';
import { beat, readAnimals, tryCreate } from './trial';
import { databaseTimeouts } from '../../../core/timeouts';

/** Rejects after the timeout, but does not cancel the work. */
const withTimeout = <A>(timeoutMs: number, promise: Promise<A>): Promise<A> =>
  Promise.race([
    promise,
    delay(timeoutMs, undefined, { ref: false }).then((): never => {
      throw new Error('timed out waiting for the database or a free connection to it');
    }),
  ]);

const checkReadiness = async (database: Database): Promise<string | undefined> => {
  const [schema, read, created, written] = await Promise.allSettled([
    withTimeout(databaseTimeouts.readinessMs, readSchemaState(database.reads)),
    withTimeout(databaseTimeouts.readinessMs, readAnimals(database, defaultPageSize)),
    withTimeout(databaseTimeouts.readinessMs, tryCreate(database)),
    withTimeout(databaseTimeouts.readinessMs, beat(database)),
  ]);
  if (schema.status === 'rejected') return 'the database does not answer';
  if (generationMismatch(schema.value) !== undefined)
    return 'the database has a schema of another generation';
  if (schema.value.pending.length > 0) return 'the database lacks migrations';
  if (read.status === 'rejected') return "animals can't be read from the database";
  if (written.status === 'rejected') return "the database can't be written to";
  return created.status === 'rejected' ? "animals can't be added to the database" : undefined;
};

/** Returns the reason why the database can't serve, for clients to read, or undefined if it reads and writes. */
export const knexReadiness = (database: Database): Task<string | undefined> => {
  let askedAt = -databaseTimeouts.readinessCacheMs;
  let answer: Promise<string | undefined> = Promise.resolve(undefined);
  return () => {
    const now = performance.now();
    if (now - askedAt >= databaseTimeouts.readinessCacheMs) {
      askedAt = now;
      answer = checkReadiness(database);
    }
    return answer;
  };
};
