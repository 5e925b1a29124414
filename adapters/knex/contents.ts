import { toIsoTimeOrNull } from './database/clock';
import { type Connection, hasTable, type StoreDatabase } from './database/store-database';
import { contentTables } from './database/tables';
import { toTaskEither } from './database/errors';

/** True if a database has animals, API keys, idempotency keys or records of changes. */
export const hasContents = async (connection: Connection): Promise<boolean> => {
  for (const { name } of contentTables)
    if (
      (await hasTable(connection, name)) &&
      (await connection.knex(name).first<unknown>(connection.knex.raw('1'))) !== undefined
    )
      return true;
  return false;
};

/** Reads the number of animals, the last id, and the times of the newest animal and the last recorded use of a key. */
export const summarizeContents = ({ withStoreLock, statements }: StoreDatabase) =>
  // Counts while it holds the lock, because only that transaction has no statement timeout, and a count may take long.
  toTaskEither(() =>
    withStoreLock(async (transaction) => {
      const { animals, newest } = await transaction('pets')
        .count({ animals: '*' })
        .max({ newest: 'created_at' })
        .first<{ animals: number | string; newest: number | string | null }>();
      const { used } = await transaction('api_keys')
        .max({ used: 'last_used_at' })
        .first<{ used: number | string | null }>();
      return {
        animals: Number(animals),
        lastId: await statements.readLastId(transaction),
        newestAt: toIsoTimeOrNull(newest),
        lastUsedAt: toIsoTimeOrNull(used),
      };
    }),
  );
