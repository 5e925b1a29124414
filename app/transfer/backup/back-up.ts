import { createReadStream, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { backupSqlite, type CopyOptions } from '../../../adapters/knex';
import { startFailureText } from '../../failures/start-failure';
import { resolveFreeTarget } from '../export/resolve-target';
import { writeStandardOutput } from '../export/write-standard-output';
import type { TransferContext } from '../transfer-context';
import { copySqlite } from './copy-sqlite';

/** A stream can't be checked and taken back: the copy is made beside the database first. */
const writeOut = async (database: string, output: Writable, options: CopyOptions): Promise<number> => {
  const folder = mkdtempSync(join(dirname(resolve(database)), '.backup-'));
  try {
    const file = join(folder, 'backup.sqlite3');
    const animals = await backupSqlite(database, file, options);
    await writeStandardOutput(output)(createReadStream(file), options.signal);
    return animals;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Copies the database to a file, or for `-` to standard output, while whoever uses it goes on. */
export const backUp = (file: string, context: TransferContext) =>
  copySqlite(context, async (database, options) => {
    if (!existsSync(database)) throw new Error(startFailureText({ _tag: 'NoFile', filename: database }));
    if (file === '-') return writeOut(database, context.terminal.stdout, options);
    const { path } = resolveFreeTarget(file, database);
    return backupSqlite(database, path, options);
  });
