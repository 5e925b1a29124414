import type * as TE from 'fp-ts/TaskEither';
import type { Unavailable } from '../../../core';
import { type ApiKeyStatus, readApiKeyStatus } from '../api-keys/api-key-status';
import { attempt } from '../database/attempt';
import type { Database } from '../database/database';
import type { DatabaseSizes } from '../database/database-sizes';
import { migrations } from '../migrations/migration-source';
import { readSchemaState } from '../migrations/schema-state';

/** What an operator watches of a database that serves. */
export interface DatabaseStatus extends ApiKeyStatus {
  readonly sizes: DatabaseSizes;
  /** How many of this program's migrations the database has, and how many it lacks. */
  readonly migrations: { readonly applied: number; readonly pending: number };
}

const readStatus = async ({ reads, sizes }: Database): Promise<DatabaseStatus> => {
  const [{ pending }, keys, taken] = await Promise.all([
    readSchemaState(reads),
    readApiKeyStatus(reads),
    sizes(),
  ]);
  return {
    ...keys,
    sizes: taken,
    migrations: { applied: Object.keys(migrations).length - pending.length, pending: pending.length },
  };
};

/** Looks at a database that serves; it only reads. */
export const databaseStatus = (database: Database): TE.TaskEither<Unavailable, DatabaseStatus> =>
  attempt(() => readStatus(database));
