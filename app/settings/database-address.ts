import * as t from 'io-ts';

/** Where the animals are kept. */
export const DatabaseAddress = t.union([
  t.type({ _tag: t.literal('Memory') }),
  t.type({ _tag: t.literal('Sqlite'), filename: t.string }),
  t.type({ _tag: t.literal('Postgres'), connectionString: t.string }),
]);
export type DatabaseAddress = t.TypeOf<typeof DatabaseAddress>;

/** The address in `memory:`, `sqlite:FILE` or `postgres://...`; anything else is no address. */
export const parseDatabaseAddress = (text: string): unknown => {
  if (text === 'memory:') return { _tag: 'Memory' };
  // SQLite would take a name that ends with a slash for a file, and the file system for a folder. And who writes
  // `sqlite://animals.sqlite3` means no file in the root folder.
  if (/^sqlite:(?!:memory:$|\/\/[^/]).*[^/]$/s.test(text))
    return { _tag: 'Sqlite', filename: text.slice('sqlite:'.length) };
  return /^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text)
    ? { _tag: 'Postgres', connectionString: text }
    : undefined;
};
