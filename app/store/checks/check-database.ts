/* Checks of the database and its keys. Each returns findings, or throws CommandFailed to end a start. */

import * as E from 'fp-ts/Either';
import {
  apiKeyStore,
  type ConnectionRoom,
  errorKindOf,
  findInvalidPets,
  inspectClock,
  inspectDatabase,
  inspectDisk,
  invalidOwnerText,
  runDoctorChecks,
  tryCountRequest,
  tryCreateKey,
} from '../../../adapters/knex';
import { OwnerId } from '../../../core';
import { CommandFailed, messageOf, notInitialized, orFail, reasonOf } from '../../failures';
import { databaseUrlText } from '../../settings/database-url';
import { keySourceOf } from '../../settings/settings';
import { counted } from '../../terminal/text';
import { failed, type Finding, type Findings, passed, warned } from './finding';
import type { Start } from './start';

/** Loads the driver. Creates no file and makes no connection. */
export const checkDriver = async ({ settings, purpose, open }: Start): Promise<Findings> => {
  const keepsInMemory = purpose === 'serve' || purpose === 'doctor';
  if (settings.DATABASE_URL._tag === 'Memory' && keepsInMemory)
    return [passed('driver', 'memory: keeps animals until the service stops')];
  await open();
  return [passed('driver', 'the driver of the database is installed')];
};

export const checkConnection = async ({ open, settings }: Start): Promise<Findings> => {
  const database = await open();
  const findings = await orFail(inspectDatabase(database));
  if (database.engine === 'PostgreSQL')
    return findings.map((finding) => (finding.check === 'room' ? roomFinding(finding) : finding));
  const address = databaseUrlText(settings.DATABASE_URL);
  return [passed('connection', `${address} can be opened, and has no damage`)];
};

/** Recommended minimum of instances of a service on PostgreSQL, so that one can restart while another serves. */
const minInstances = 2;

/** Reports how many instances `max_connections` permits. Warns if they are fewer than `minInstances`. */
const roomFinding = ({ limit, reserved, heldByOthers, poolSize }: ConnectionRoom): Finding => {
  const free = limit - reserved - heldByOthers;
  const instances = Math.max(0, Math.floor(free / poolSize));
  const room = `max_connections=${limit} has room for ${counted(instances, 'instance')} with POSTGRES_POOL_SIZE=${poolSize}`;
  if (instances >= minInstances) return passed('server', room);
  const neededLimit = limit - free + minInstances * poolSize;
  const advice = `for ${minInstances} instances, set POSTGRES_POOL_SIZE to at most ${Math.max(1, Math.floor(free / minInstances))}, or max_connections to at least ${neededLimit}`;
  return warned(
    'server',
    `${room}; ${reserved} connections are reserved, and other programs hold ${heldByOthers}; ${advice}`,
  );
};

export const checkDisk = async ({ open }: Start): Promise<Findings> => orFail(inspectDisk(await open()));

export const checkSchema = async ({ mayCreate, readSchema }: Start): Promise<Findings> => {
  const schema = await readSchema();
  if (schema.generation === 0 && !mayCreate) throw notInitialized();
  if (schema.pending.length === 0) return [passed('schema', 'up to date')];
  const names = schema.pending.join(', ');
  return [passed('schema', `pending: ${names}; the next start or \`animal-store migrate\` runs them`)];
};

export const checkClock = async ({ open }: Start): Promise<Findings> => orFail(inspectClock(await open()));

export const checkRights = async ({ open, readSchema }: Start): Promise<Findings> => {
  const commitMs = await orFail(runDoctorChecks(await open(), await readSchema()));
  const commit = commitMs === undefined ? '' : `, and a commit takes ${Math.ceil(commitMs)} ms`;
  const text = `this user may do what \`serve\` does${commit}`;
  return commitMs !== undefined && commitMs > slowCommitMs
    ? [warned('rights', `${text}; the disk of the database or a standby is slow`)]
    : [passed('rights', text)];
};

const slowCommitMs = 500;

/** Looks for invalid animals in a SQLite file, whose columns accept values that an animal can't have. */
export const checkAnimals = async ({ open, readSchema }: Start): Promise<Findings> => {
  const database = await open();
  if (database.engine === 'PostgreSQL' || (await readSchema()).pending.length > 0) return [];
  const faults = await orFail(findInvalidPets(database));
  return faults.length > 0
    ? faults.map((text) => failed('animals', text))
    : [passed('animals', 'every animal can be read')];
};

/** Warns if the database can't count requests for RATE_LIMIT. */
export const checkQuota = async ({ open, settings, readSchema }: Start): Promise<Findings> => {
  const database = await open();
  if (settings.RATE_LIMIT === undefined || database.engine === 'SQLite') return [];
  if ((await readSchema()).generation === 0) return [];
  const counted = await tryCountRequest(database)();
  return E.isRight(counted)
    ? []
    : [
        warned(
          'quota',
          `each instance counts its own requests for RATE_LIMIT, because no count can be stored in the table rate_limits: ${messageOf(counted.left.cause)}`,
        ),
      ];
};

/**
 * Checks that a valid API key exists. Without one, throws in production. Elsewhere, passes if the next start can create
 * the first key, and throws if the role may not create it. Warns if all created keys are invalid.
 */
export const checkKeys = async (start: Start): Promise<Findings> => {
  const { settings, mayCreate } = start;
  if (keySourceOf(settings) === 'API_KEYS')
    return [passed('keys', `${counted(settings.API_KEYS.length, 'key')} in API_KEYS`)];
  const hasTables = start.hasDatabase && (await start.readSchema()).generation > 0;
  const database = hasTables ? await start.open() : undefined;
  const created = database === undefined ? [] : await orFail(apiKeyStore(database).list);
  const valid = created.filter(({ isValid }) => isValid);
  if (valid.length > 0)
    return [
      passed('keys', `${counted(valid.length, 'valid key')} in the database`),
      ...valid
        .filter(({ ownerId }) => !OwnerId.is(ownerId))
        .map(({ id }) => warned('keys', invalidOwnerText(id))),
    ];
  const failure = new CommandFailed({ _tag: 'NoApiKey' });
  if (!mayCreate) throw failure;
  if (created.length === 0) {
    const trial = database === undefined ? E.right(undefined) : await tryCreateKey(database)();
    if (E.isLeft(trial) && errorKindOf(trial.left.cause) === 'NoRight') throw failure;
    return [passed('keys', 'none: the first start creates one')];
  }
  return [warned('keys', reasonOf(failure, settings.DATABASE_URL))];
};
