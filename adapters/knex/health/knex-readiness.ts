import { setTimeout as delay } from 'node:timers/promises';
import type { Task } from 'fp-ts/Task';
import { defaultPageSize } from '../../../core';
import type { Database } from '../database/database';
import { generationMismatch, readSchemaState } from '../migrations/schema-state';
import { beat, readAnimals, tryCreate } from './trial';

/** Rejects after the timeout, but does not cancel the work. */
const withTimeout = <A>(timeoutMs: number, promise: Promise<A>): Promise<A> =>
  Promise.race([
    promise,
    delay(timeoutMs, undefined, { ref: false }).then((): never => {
      throw new Error('timed out waiting for the database or a free connection to it');
    }),
  ]);

const timeoutMs = 4_000;

/** Time for which an answer is cached, because each check costs a commit and any client may ask. */
const maxAgeMs = 1_000;

const checkReadiness = async (database: Database): Promise<string | undefined> => {
  const [schema, read, created, written] = await Promise.allSettled([
    withTimeout(timeoutMs, readSchemaState(database.reads)),
    withTimeout(timeoutMs, readAnimals(database, defaultPageSize)),
    withTimeout(timeoutMs, tryCreate(database)),
    withTimeout(timeoutMs, beat(database)),
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
  let askedAt = -maxAgeMs;
  let answer: Promise<string | undefined> = Promise.resolve(undefined);
  return () => {
    const now = performance.now();
    if (now - askedAt >= maxAgeMs) {
      askedAt = now;
      answer = checkReadiness(database);
    }
    return answer;
  };
};
