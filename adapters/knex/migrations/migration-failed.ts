import * as E from 'fp-ts/Either';
import type * as TE from 'fp-ts/TaskEither';
import { type Unavailable, unavailable } from '../../../core';
import { isPermanent, permanentError, toError } from '../database/database-error';

/**
 * The database can't be migrated, and trying again won't help: it is another program's, holds a table of the same
 * name, has a schema of another generation, or lacks what is needed. The cause says which, and what to do.
 */
export interface MigrationFailed {
  readonly _tag: 'MigrationFailed';
  readonly cause: Error;
}

// SQLSTATE 42P07 in PostgreSQL's words, and SQLite's.
const takenName = /^(?:SQLITE_ERROR: )?(?:table|relation|index) [`"]?(\w+)[`"]? already exists/;

/** What knex's own migrator says: our lock was taken before, so that it is none of ours that holds it. */
const lockedByKnex = 'Migration table is already locked';

const explain = (error: Error): Error => {
  if (error.message === lockedByKnex)
    return permanentError(
      `${error.message}: knex itself migrates here, or was killed while it did: then free it by \`knex migrate:unlock\``,
    );
  const [, name] = takenName.exec(error.message) ?? [];
  return name === undefined
    ? error
    : permanentError(
        `${error.message}: ${name} is not the animal store's: give it a database of its own, or on PostgreSQL a schema`,
      );
};

/** Tells what will not get better from what may. */
export const attemptMigration =
  <A>(work: () => Promise<A>): TE.TaskEither<MigrationFailed | Unavailable, A> =>
  async () => {
    try {
      return E.right(await work());
    } catch (thrown) {
      const cause = explain(toError(thrown));
      return E.left(isPermanent(cause) ? { _tag: 'MigrationFailed', cause } : unavailable(cause));
    }
  };
