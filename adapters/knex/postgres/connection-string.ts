import type { Knex } from 'knex';

/**
 * Address of a database for the driver, such as `postgres://user:password@host:5432/name`. A function returns the
 * address for new connections, because the password may change. A pool in use calls the function about once a second.
 */
export type ConnectionString = string | (() => string);

export const currentAddress = (connectionString: ConnectionString): string =>
  typeof connectionString === 'string' ? connectionString : connectionString();

const recheckMs = 1_000;

/**
 * Returns the connection settings of a pool. If `connectionString` is a function, a pool in use notices within a second
 * that it returns another address. New connections then use that address, and `onChange` is called once.
 */
export const connectionWith = (
  connectionString: ConnectionString,
  settings: Knex.PgConnectionConfig,
  onChange: () => void,
): NonNullable<Knex.Config['connection']> => {
  if (typeof connectionString === 'string') return { ...settings, connectionString };
  let last = connectionString();
  return () => {
    const current = connectionString();
    if (current !== last) onChange();
    last = current;
    let checkedAt = performance.now();
    return {
      ...settings,
      connectionString: current,
      // Knex calls this at each use of a connection. If the result is true, Knex calls the outer function again.
      expirationChecker: () => {
        const now = performance.now();
        if (now - checkedAt < recheckMs) return false;
        checkedAt = now;
        return connectionString() !== current;
      },
    };
  };
};
