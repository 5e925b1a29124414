import type * as TE from 'fp-ts/TaskEither';
import type { Unavailable } from '../../../core';
import { type ApiKeyStatus, readApiKeyStatus } from '../api-keys/api-key-status';
import { attempt } from '../database/attempt';
import type { Database, DatabaseSizes } from '../database/database';
import { migrations } from '../migrations/migration-source';
import { readSchemaState } from '../migrations/schema-state';

/** What an operator watches of a database that serves. */
export interface DatabaseStatus extends ApiKeyStatus {
  readonly sizes: DatabaseSizes;
  /** How many of this program's migrations the database has, and how many it lacks. */
  readonly migrations: { readonly applied: number; readonly pending: number };
}

/** Looks at a database that serves; it only reads. */
export const databaseStatus = ({ reads, sizes }: Database): TE.TaskEither<Unavailable, DatabaseStatus> =>
  attempt(async () => {
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
  });
