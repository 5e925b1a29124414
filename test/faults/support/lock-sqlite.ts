import { openSqlite } from '../../../adapters/knex';

/** Holds the lock of a SQLite file's writers, as a transaction of another process does, until it is released. */
export const lockSqlite = async (file: string): Promise<() => Promise<void>> => {
  const { writes, close } = openSqlite(file);
  const transaction = await writes.transaction();
  await transaction('heartbeats').where({ id: 0 }).delete();
  return async () => {
    await transaction.rollback();
    await close();
  };
};
