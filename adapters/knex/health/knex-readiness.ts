import type { Task } from 'fp-ts/Task';
import { defaultPageSize } from '../../../core';
import type { Database } from '../database/database';
import { generationMismatch, readSchemaState } from '../migrations/schema-state';
import { withTimeout } from '../database/with-timeout';
import { readAnimals } from './read-animals';

/** How long to wait for the database, in milliseconds. */
const timeoutMs = 4_000;

/** How long an answer serves those who ask, in milliseconds: each one costs a commit, and anyone may ask. */
const servedForMs = 1_000;

const beat = async ({ writes }: Database): Promise<void> => {
  await writes('heartbeats').insert({ id: 1, beaten_at: Date.now() }).onConflict('id').merge();
};

const checkReadiness = async (database: Database): Promise<string | undefined> => {
  const [schema, read, written] = await Promise.allSettled([
    withTimeout(timeoutMs, readSchemaState(database.reads)),
    withTimeout(timeoutMs, readAnimals(database, defaultPageSize)),
    withTimeout(timeoutMs, beat(database)),
  ]);
  if (schema.status === 'rejected') return 'the database does not answer';
  if (generationMismatch(schema.value) !== undefined)
    return 'the database has a schema of another generation';
  if (schema.value.pending.length > 0) return 'the database lacks migrations';
  if (read.status === 'rejected') return 'animals can not be read from the database';
  return written.status === 'rejected' ? 'the database can not be written' : undefined;
};

/** What keeps the database from serving, in words that anyone may read; undefined when it reads and writes. */
export const knexReadiness = (database: Database): Task<string | undefined> => {
  let askedAt = -servedForMs;
  let answer: Promise<string | undefined> = Promise.resolve(undefined);
  return () => {
    const now = performance.now();
    if (now - askedAt >= servedForMs) {
      askedAt = now;
      answer = checkReadiness(database);
    }
    return answer;
  };
};
