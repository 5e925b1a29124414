import { resolve } from 'node:path';
import type { DatabaseAddress } from './database-address';

const withoutPassword = (connectionString: string): string => {
  const { protocol, username, host, pathname } = new URL(connectionString);
  // A password with an unescaped / or : lands beside its place in the address; then none of it is shown.
  if (pathname.includes('@')) return `${protocol}//...`;
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
