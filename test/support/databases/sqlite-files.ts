import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { openSqlite } from '../../../adapters/knex';
import { projectFolder } from '../processes/command';

/** Returns the result of SQLite's integrity check, `ok` for a sound file. */
export const integrityOf = async (file: string): Promise<unknown> => {
  const { readPool, close } = openSqlite(file);
  try {
    return await readPool('pragma_integrity_check').pluck('integrity_check');
  } finally {
    await close();
  }
};

/** Returns the values of a column, in the order of the rows. */
export const columnOf = async (
  file: string,
  table: string,
  column: string,
): Promise<ReadonlyArray<unknown>> => {
  const { readPool, close } = openSqlite(file);
  try {
    const values: ReadonlyArray<unknown> = await readPool(table).orderBy('rowid').pluck(column);
    return values;
  } finally {
    await close();
  }
};

/** True if the write-ahead log has commits that are not in the main file yet. */
export const hasWriteAheadLog = (file: string): boolean =>
  existsSync(`${file}-wal`) && statSync(`${file}-wal`).size > 0;

const probe = `new (require('sqlite3').Database)(process.argv[1], function () {
  this.exec('begin immediate', (error) => process.exit(error?.code === 'SQLITE_BUSY' ? 5 : error ? 1 : 0));
});`;

/** True if the SQLite file is locked against writers of other processes. Blocks this process during the check. */
export const isLocked = (file: string): boolean => {
  const { status, stderr } = spawnSync(process.execPath, ['-e', probe, file], { cwd: projectFolder });
  if (status !== 0 && status !== 5) throw new Error(`the lock can't be looked for: ${stderr.toString()}`);
  return status === 5;
};
