import { statSync } from 'node:fs';
import { DiagnosedError, withoutStatement } from '../database/errors';
import { withPool } from '../database/pool';
import { readSchemaState } from '../migrations/schema-state';
import { openReadOnly } from './connection';
import { sqliteStatements } from './statements';

/** Identifies a file by its tables, without writing to it. A path without a regular file counts as empty. */
const identifyFile = async (filename: string): Promise<'empty' | 'animal-store' | 'foreign'> => {
  const stats = statSync(filename, { throwIfNoEntry: false });
  if (stats?.isFile() !== true || stats.size === 0) return 'empty';
  return withPool(openReadOnly(filename), async (connection) => {
    if ((await connection('sqlite_master').first<unknown>('name')) === undefined) return 'empty';
    return (await readSchemaState(connection, sqliteStatements)).generation > 0 ? 'animal-store' : 'foreign';
  }).catch((error: unknown) => {
    throw withoutStatement(error);
  });
};

/** Identifies a file. Throws if it is the database of another program. */
export const refuseForeignFile = async (filename: string): Promise<'empty' | 'animal-store'> => {
  const kind = await identifyFile(filename);
  if (kind !== 'foreign') return kind;
  throw new DiagnosedError(`${filename} is the database of another program; name another file`);
};
