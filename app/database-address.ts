import * as t from 'io-ts';
import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

export const DatabaseAddress = t.union([
  t.type({ _tag: t.literal('Memory') }),
  t.type({ _tag: t.literal('Sqlite'), filename: t.string }),
  t.type({ _tag: t.literal('Postgres'), connectionString: t.string }),
]);
export type DatabaseAddress = t.TypeOf<typeof DatabaseAddress>;

/**
 * Resolves `..` as the kernel does. After a symbolic link to a folder, `path.resolve` would name the wrong file. A path
 * without `..` keeps its symbolic links, so that the service notices when a link is changed.
 */
const withoutParentSegments = (filename: string): string => {
  if (!filename.split('/').includes('..')) return filename;
  try {
    return join(realpathSync.native(dirname(filename)), basename(filename));
  } catch {
    return filename;
  }
};

/**
 * Parses DATABASE_URL for settings.ts, and returns undefined if it is invalid. A trailing slash is invalid, because it
 * names a folder. `sqlite://animals.sqlite3` is invalid, because it would mean `/animals.sqlite3` and is probably a
 * mistake.
 */
export const parseDatabaseAddress = (text: string): unknown => {
  if (text === 'memory:') return { _tag: 'Memory' };
  if (/^sqlite:(?!:memory:$|\/\/[^/]).*[^/]$/s.test(text))
    return { _tag: 'Sqlite', filename: withoutParentSegments(text.slice('sqlite:'.length)) };
  return /^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text)
    ? { _tag: 'Postgres', connectionString: text }
    : undefined;
};

const withoutPassword = (connectionString: string): string => {
  const { protocol, username, host, pathname, search, hash } = new URL(connectionString);
  // An @ after the host suggests that the password has an unescaped `/`, `?` or `#`. The parsed parts may then contain
  // pieces of the password.
  if (`${pathname}${search}${hash}`.includes('@')) return `${protocol}//...`;
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
