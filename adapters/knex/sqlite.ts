import knex, { type Knex } from 'knex';
import type { Database } from './database';
import type { Durability } from './durability';
import { fileIdentity } from './file-identity';
import { migrationSource } from './migration-source';
import { silentLog } from './silent-log';

interface Connection {
  readonly exec: (sql: string, done: (error: Error | null) => void) => void;
}

/** How long a writer waits for another process's transaction, in milliseconds. */
const busyTimeout = 3_000;

const readerConnections = 3;

/** The least `synchronous` that waits for the disk at each commit, in numbers as the pragma gives it back. */
const fullSynchronous = 2;

// 'anml': marks the file as this project's (SQLite file format, offset 68).
const applicationId = 0x616e6d6c;

const withPragmas =
  (opened: () => void, ...pragmas: ReadonlyArray<string>) =>
  (connection: Connection, done: (error: Error | null) => void): void => {
    connection.exec(pragmas.map((pragma) => `PRAGMA ${pragma};`).join(''), (error) => {
      opened();
      done(error);
    });
  };

const configuration = (filename: string, pool: Knex.PoolConfig): Knex.Config => ({
  client: 'sqlite3',
  connection: { filename },
  useNullAsDefault: true,
  acquireConnectionTimeout: busyTimeout + 500,
  pool,
  log: silentLog,
  migrations: { migrationSource },
});

/** What knex needs to write to a SQLite file: one connection, and a commit that has reached the disk. */
export const sqliteConfiguration = (filename: string, opened: () => void = () => undefined): Knex.Config =>
  configuration(filename, {
    min: 1,
    max: 1,
    afterCreate: withPragmas(
      opened,
      `busy_timeout = ${busyTimeout}`,
      'journal_mode = WAL',
      'synchronous = FULL',
    ),
  });

const durabilityOf = async (writes: Knex): Promise<Durability> => {
  const journal = await writes('pragma_journal_mode').first<{ journal_mode: string }>();
  const disk = await writes('pragma_synchronous').first<{ synchronous: number }>();
  return {
    isDurable: !['memory', 'off'].includes(journal.journal_mode) && disk.synchronous >= fullSynchronous,
    text: `journal_mode=${journal.journal_mode}, synchronous=${disk.synchronous}`,
    remedy: 'put the file on a local disk',
  };
};

/** Opens a SQLite file; this is the only file that knows the driver. */
export const openSqlite = (filename: string): Database => {
  const file = fileIdentity(filename);
  const writes = knex(sqliteConfiguration(filename, file.remember));
  const reads = knex(
    configuration(filename, {
      min: 1,
      max: readerConnections,
      afterCreate: withPragmas(() => undefined, `busy_timeout = ${busyTimeout}`, 'query_only = ON'),
    }),
  );
  return {
    reads,
    writes,
    // A transaction that begins with a write waits for its turn; one that begins with a read is refused later.
    lockSetup: async (transaction) => {
      await transaction.raw(`PRAGMA application_id = ${applicationId}`);
    },
    durability: () => durabilityOf(writes),
    isLost: file.hasChanged,
    close: async () => {
      await Promise.all([reads.destroy(), writes.destroy()]);
    },
  };
};
