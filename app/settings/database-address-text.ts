import { resolve } from 'node:path';
import type { DatabaseAddress } from './database-address';

const withoutPassword = (connectionString: string): string => {
  const { protocol, username, host, pathname, search, hash } = new URL(connectionString);
  // The rest of a password with an unescaped / ? or # stands behind the host; then nothing is shown.
  if (`${pathname}${search}${hash}`.includes('@')) return `${protocol}//...`;
  return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`;
};

/** Where the animals are kept, for anyone to read: a file by its whole path, a server without password and options. */
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
