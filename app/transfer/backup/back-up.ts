import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { backupSqlite, type CopyOptions } from '../../../adapters/knex';
import { databaseOf } from '../../backend/database-of';
import type { Settings } from '../../settings/settings';
import type { Interruption } from '../../terminal/interruptible';
import type { Terminal } from '../../terminal/terminal';
import { resolveFreeTarget } from '../export/resolve-target';
import { writeStandardOutput } from '../export/write-standard-output';
import { copySqlite } from './copy-sqlite';

/** A stream can't be checked and taken back: the copy is made beside the database first. */
const writeOut = async (database: string, { stdout }: Terminal, options: CopyOptions): Promise<number> => {
  const folder = mkdtempSync(join(dirname(resolve(database)), '.backup-'));
  try {
    const file = join(folder, 'backup.sqlite3');
    const animals = await backupSqlite(database, file, options);
    await writeStandardOutput(stdout)(createReadStream(file), options.signal);
    return animals;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Copies the database to a file, or for `-` to standard output, while whoever uses it goes on. */
export const backUp = (file: string, settings: Settings, terminal: Terminal, interruption: Interruption) =>
  copySqlite(settings, terminal, interruption, async (database, options) => {
    if (file === '-') return writeOut(database, terminal, options);
    const { path } = await resolveFreeTarget(file, databaseOf(settings)?.files ?? []);
    return backupSqlite(database, path, options);
  });
