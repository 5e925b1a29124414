import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { openSqlite } from '../../../adapters/knex';
import { projectFolder } from '../processes/command';

/** What a SQLite file says of itself: `ok` when it is sound. */
export const integrityOf = async (file: string): Promise<unknown> => {
  const { reads, close } = openSqlite(file);
  try {
    return await reads('pragma_integrity_check').pluck('integrity_check');
  } finally {
    await close();
  }
};

/** A column of a table, in the order of the rows. */
export const columnOf = async (
  file: string,
  table: string,
  column: string,
): Promise<ReadonlyArray<unknown>> => {
  const { reads, close } = openSqlite(file);
  try {
    const values: ReadonlyArray<unknown> = await reads(table).orderBy('rowid').pluck(column);
    return values;
  } finally {
    await close();
  }
};

/** Everything that lies on the disk for a SQLite file: itself and its write-ahead log. */
export const bytesOf = (file: string): Buffer =>
  Buffer.concat([file, `${file}-wal`].filter((path) => existsSync(path)).map((path) => readFileSync(path)));

/** Whether commits still stand in the write-ahead log alone. */
export const hasWriteAheadLog = (file: string): boolean =>
  existsSync(`${file}-wal`) && statSync(`${file}-wal`).size > 0;

const probe = `new (require('sqlite3').Database)(process.argv[1], function () {
  this.exec('begin immediate', (error) => process.exit(error?.code === 'SQLITE_BUSY' ? 5 : error ? 1 : 0));
});`;

/** Whether another process is kept from writing to a SQLite file. It waits for the answer without a turn of the event loop. */
export const isLocked = (file: string): boolean => {
  const { status, stderr } = spawnSync(process.execPath, ['-e', probe, file], { cwd: projectFolder });
  if (status !== 0 && status !== 5) throw new Error(`the lock can't be looked for: ${stderr.toString()}`);
  return status === 5;
};

/** Tells whether another process is in the middle of writing to a SQLite file. */
export interface LockProbe {
  readonly isHeld: () => Promise<boolean>;
  readonly close: () => Promise<void>;
}

export const lockProbe = (file: string): LockProbe => {
  const { writes, close } = openSqlite(file);
  return {
    isHeld: async () => {
      await writes.raw('PRAGMA busy_timeout = 0');
      try {
        await writes.raw('begin immediate');
      } catch {
        return true;
      }
      await writes.raw('rollback');
      return false;
    },
    close,
  };
};
