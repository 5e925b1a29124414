import * as E from 'fp-ts/Either';
import * as t from 'io-ts';
import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parsePostgresAddress } from './postgres-url';

export const DatabaseAddress = t.union([
  t.type({ _tag: t.literal('Memory') }),
  t.type({ _tag: t.literal('Sqlite'), filename: t.string }),
  t.type({ _tag: t.literal('Postgres'), connectionString: t.string }),
]);
export type DatabaseAddress = t.TypeOf<typeof DatabaseAddress>;

/**
 * Resolves `..` as the kernel does: after a symbolic link to a folder, `path.resolve` would name the wrong file. Where a
 * folder is missing, it resolves `..` as SQLite does. A path without `..` keeps its symbolic links, so that the service
 * notices when a link is changed.
 */
const withoutParentSegments = (filename: string): string => {
  if (!filename.split('/').includes('..')) return filename;
  try {
    return join(realpathSync.native(dirname(filename)), basename(filename));
  } catch {
    return resolve(filename);
  }
};

const parseSqliteAddress = (text: string): E.Either<string, DatabaseAddress> =>
  /^sqlite:(?!:memory:$|\/\/[^/]).*[^/]$/s.test(text)
    ? E.right({ _tag: 'Sqlite', filename: withoutParentSegments(text.slice('sqlite:'.length)) })
    : E.left('sqlite:FILE, where FILE is the path of a file');

/**
 * Parses DATABASE_URL for settings.ts, or returns what it must be. A trailing slash is invalid, because it names a
 * folder. `sqlite://animals.sqlite3` is invalid, because it would mean `/animals.sqlite3` and is probably a mistake.
 */
export const parseDatabaseAddress = (text: string): E.Either<string, DatabaseAddress> => {
  if (text === 'memory:') return E.right({ _tag: 'Memory' });
  if (text.startsWith('sqlite:')) return parseSqliteAddress(text);
  if (!/^postgres(?:ql)?:\/\//i.test(text))
    return E.left('sqlite:FILE, memory: or postgres://USER:PASSWORD@HOST/DATABASE');
  const parsed = parsePostgresAddress(text);
  return E.isLeft(parsed) ? parsed : E.right({ _tag: 'Postgres', connectionString: parsed.right });
};

const withoutPassword = (connectionString: string): string => {
  const { protocol, username, host, pathname } = new URL(connectionString);
  return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`;
};

export const databaseAddressText = (address: DatabaseAddress): string => {
  switch (address._tag) {
    case 'Memory':
      return 'memory:';
    case 'Sqlite':
      return `sqlite:${resolve(address.filename)}`;
    case 'Postgres':
      return withoutPassword(address.connectionString);
  }
};
