import type { TaskEither } from 'fp-ts/TaskEither';
import type { Unavailable } from '../../../core';
import { checkGroups, heartbeatCheck } from './serving-checks';
import { readClock } from '../database/clock';
import { readPetFaults } from '../database/pet-faults';
import type { ConnectionRoom, DatabaseFinding, OpenedDatabase } from '../database/opened-database';
import type { StoreDatabase } from '../database/store-database';
import { DiagnosedError, DatabaseError, toTaskEither } from '../database/errors';
import { tryMigrate } from '../migrations/migrate';
import type { SchemaState } from '../migrations/schema-state';

/** Free disk space below which the check fails: twice the size to which SQLite truncates the write-ahead log. */
const minFreeDiskBytes = 8 * 1024 * 1024;

/** Free disk space below which `doctor` and a start warn. The alert `AnimalStoreDiskFull` uses the same limit. */
export const scarceDiskBytes = 500e6;

/**
 * Checks the database. For a SQLite file, fails with ENOSPC if its disk is nearly full, or with SQLITE_CORRUPT if the
 * file is damaged.
 */
export const inspectDatabase = (
  database: OpenedDatabase,
): TaskEither<Unavailable, ReadonlyArray<DatabaseFinding | ConnectionRoom>> =>
  toTaskEither(async () => {
    const { diskAvailable = Infinity } = await database.sizes();
    if (diskAvailable < minFreeDiskBytes) {
      throw new DatabaseError('ENOSPC', `ENOSPC: only ${diskAvailable} bytes are free`);
    }
    return database.inspect();
  });

export const inspectDisk = ({
  sizes,
}: OpenedDatabase): TaskEither<Unavailable, ReadonlyArray<DatabaseFinding>> =>
  toTaskEither(async () => {
    const { diskAvailable = Infinity } = await sizes();
    if (diskAvailable >= scarceDiskBytes) return [];
    const text = `only ${Math.round(diskAvailable / 1e6)} MB are free on the disk of the database; free space, because creates fail on a full disk`;
    return [{ check: 'disk', severity: 'warning', text }];
  });

const toleratedSeconds = 5;

/** Warns if the clock of this machine differs from that of the database by more than 5 s. */
export const inspectClock = ({
  readPool,
  statements,
}: StoreDatabase): TaskEither<Unavailable, ReadonlyArray<DatabaseFinding>> =>
  toTaskEither(async () => {
    const askedAt = Date.now();
    const databaseTime = await readClock({ knex: readPool, statements });
    const aheadSeconds = Math.round(((askedAt + Date.now()) / 2 - databaseTime) / 1_000);
    if (Math.abs(aheadSeconds) <= toleratedSeconds) return [];
    const difference = `${Math.abs(aheadSeconds)} s ${aheadSeconds > 0 ? 'ahead of' : 'behind'}`;
    const text = `the clock of this machine is ${difference} the database's, by which keys expire; synchronise both clocks`;
    return [{ check: 'clock', severity: 'warning', text }];
  });

/**
 * Tries the pending migrations and rolls them back, or makes all checks if none is pending. Returns the milliseconds
 * that the heartbeat took to commit, or undefined if it was not checked. Fails with the first fault.
 */
export const runDoctorChecks = (
  database: OpenedDatabase,
  schema: SchemaState,
): TaskEither<Unavailable, number | undefined> =>
  toTaskEither(async () => {
    if (schema.pending.length > 0) {
      await tryMigrate(database);
      return undefined;
    }
    let commitMs: number | undefined;
    for (const check of checkGroups.flatMap(({ checks, doctorChecks = [] }) => [
      ...checks,
      ...doctorChecks,
    ])) {
      const began = performance.now();
      const fault = await check.findFault(database);
      if (fault !== undefined) throw new DiagnosedError(fault.text);
      if (check === heartbeatCheck) commitMs = performance.now() - began;
    }
    return commitMs;
  });

/** Describes the first few stored animals that are invalid. Requests that would read them fail. */
export const findInvalidPets = ({
  readPool,
  statements,
}: StoreDatabase): TaskEither<Unavailable, ReadonlyArray<string>> =>
  toTaskEither(() => readPetFaults({ knex: readPool, statements }));
