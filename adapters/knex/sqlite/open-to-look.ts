import { existsSync } from 'node:fs';
import knex, { type Knex } from 'knex';
import { followLinks } from './follow-links';
import { fileInMode, poolConfiguration } from './pool-configuration';

/** Two files that SQLite keeps beside one that is written, or that was not closed. */
export const isInUse = (filename: string): boolean =>
  ['-wal', '-journal'].some((ending) => existsSync(`${followLinks(filename)}${ending}`));

/**
 * Opens a SQLite file to read it and leave nothing beside it: one that nobody has open is read without a lock, since
 * SQLite would make a write-ahead log for it and, having no right to write, leave that behind.
 */
export const openToLook = (filename: string): Knex =>
  knex(poolConfiguration(() => fileInMode(filename, `ro${isInUse(filename) ? '' : '&immutable=1'}`)));
