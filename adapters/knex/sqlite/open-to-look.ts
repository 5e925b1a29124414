import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import knex, { type Knex } from 'knex';
import { silentLog } from '../database/silent-log';

/** Two files that SQLite keeps beside one that is written, or that was not closed. */
const isInUse = (filename: string): boolean =>
  ['-wal', '-journal'].some((ending) => existsSync(`${filename}${ending}`));

/**
 * Opens a SQLite file to read it and leave nothing beside it: one that nobody has open is read without a lock, since
 * SQLite would make a write-ahead log for it and, having no right to write, leave that behind.
 */
export const openToLook = (filename: string): Knex =>
  knex({
    client: 'sqlite3',
    connection: () => ({
      filename: `${pathToFileURL(filename).href}?mode=ro${isInUse(filename) ? '' : '&immutable=1'}`,
      // The driver's flags can only be added to its own, which write and create.
      flags: ['OPEN_URI'],
    }),
    useNullAsDefault: true,
    pool: { min: 0, max: 1 },
    log: silentLog,
  });
