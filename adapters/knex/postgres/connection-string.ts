import type { Knex } from 'knex';

/**
 * URL of a database, such as `postgres://user:password@host:5432/name`. A function returns the URL for new connections,
 * because the password may change. A pool in use calls the function about once a second.
 */
export type PostgresDatabaseUrl = string | (() => string);

export const urlText = (url: PostgresDatabaseUrl): string => (typeof url === 'string' ? url : url());

const recheckMs = 1_000;

/**
 * Returns the connection settings of a pool. If `url` is a function, a pool in use notices within a second that it
 * returns another URL. New connections then use that URL, and `onChange` is called once.
 */
export const connectionWith = (
  url: PostgresDatabaseUrl,
  settings: Knex.PgConnectionConfig,
  onChange: () => void,
): NonNullable<Knex.Config['connection']> => {
  if (typeof url === 'string') return { ...settings, connectionString: url };
  let connectionString = url();
  return () => {
    const current = url();
    if (current !== connectionString) onChange();
    connectionString = current;
    let checkedAt = performance.now();
    return {
      ...settings,
      connectionString,
      // Knex calls this at each use of a connection. If the result is true, Knex calls the outer function again.
      expirationChecker: () => {
        const now = performance.now();
        if (now - checkedAt < recheckMs) return false;
        checkedAt = now;
        return url() !== current;
      },
    };
  };
};
