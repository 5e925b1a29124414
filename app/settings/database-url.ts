import * as E from 'fp-ts/Either';
import * as t from 'io-ts';
import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parsePostgresUrl } from './postgres-url';

export const DatabaseUrl = t.union([
  t.type({ _tag: t.literal('Memory') }),
  t.type({ _tag: t.literal('Sqlite'), filename: t.string }),
  t.intersection([
    t.type({ _tag: t.literal('Postgres'), connectionString: t.string }),
    t.partial({ file: t.string }),
  ]),
]);
export type DatabaseUrl = t.TypeOf<typeof DatabaseUrl>;
export type PostgresDatabaseUrl = Extract<DatabaseUrl, { readonly _tag: 'Postgres' }>;

/**
 * Parses DATABASE_URL, or fails with a description of a valid value. Rejects a SQLite path that ends with a slash,
 * which names a folder. Rejects `sqlite://animals.sqlite3`, which would mean `/animals.sqlite3` and is probably a
 * mistake.
 */
export const parseDatabaseUrl = (text: string): E.Either<string, DatabaseUrl> => {
  if (text === 'memory:') return E.right({ _tag: 'Memory' });
  if (text.startsWith('sqlite:')) return parseSqliteUrl(text);
  if (!/^postgres(?:ql)?:\/\//i.test(text))
    return E.left('sqlite:FILE, memory: or postgres://USER:PASSWORD@HOST/DATABASE');
  const parsed = parsePostgresUrl(text);
  return E.isLeft(parsed) ? parsed : E.right({ _tag: 'Postgres', connectionString: parsed.right });
};

const parseSqliteUrl = (text: string): E.Either<string, DatabaseUrl> => {
  const filename = text.slice('sqlite:'.length);
  if (!/^(?!:memory:$|\/\/[^/]).*[^/]$/s.test(filename))
    return E.left('sqlite:FILE, where FILE is the path of a file');
  if (foreignForm.test(filename))
    return E.left(
      'sqlite:FILE, where FILE is a plain path: without parameters, #, %-escapes, `file:`, ~ and $',
    );
  return E.right({ _tag: 'Sqlite', filename: withoutParentSegments(filename) });
};

/**
 * Matches parts of a SQLite address that only other programs accept, such as parameters and percent-encoding. Read as a
 * plain path, such an address would name a new file.
 */
const foreignForm = /[?#]|%[0-9a-f]{2}|^file:|^[~$]|^\s/i;

/**
 * Resolves `..` as the kernel does, because `path.resolve` would name the wrong file after a symbolic link to a folder.
 * If a folder is missing, resolves `..` as SQLite does. A path without `..` keeps its symbolic links, so that the
 * service notices when a link is changed.
 */
const withoutParentSegments = (filename: string): string => {
  if (!filename.split('/').includes('..')) return filename;
  try {
    return join(realpathSync.native(dirname(filename)), basename(filename));
  } catch {
    return resolve(filename);
  }
};

export const databaseUrlText = (url: DatabaseUrl): string => {
  switch (url._tag) {
    case 'Memory':
      return 'memory:';
    case 'Sqlite':
      return `sqlite:${resolve(url.filename)}`;
    case 'Postgres':
      return withoutPassword(url.connectionString);
  }
};

const withoutPassword = (connectionString: string): string => {
  const { protocol, username, host, pathname } = new URL(connectionString);
  return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`;
};
