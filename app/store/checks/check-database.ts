/* Checks of an open database, for `doctor` and for a start of `serve`. */

import * as E from 'fp-ts/Either';
import {
  type ConnectionRoom,
  findInvalidPets,
  inspectClock,
  inspectDatabase,
  inspectDisk,
  type OpenedDatabase,
  readUsableSchema,
  runDoctorChecks,
  type SchemaState,
  tryCountRequest,
} from '../../../adapters/knex';
import { messageOf, notInitialized, orFail } from '../../failures';
import { databaseUrlText } from '../../settings/database-url';
import { mayCreateStore, type Settings } from '../../settings/settings';
import { counted } from '../../terminal/text';
import { checkKeys } from './check-keys';
import { type CheckName, failed, type Finding, passed, warned } from './finding';

type Findings = Promise<ReadonlyArray<Finding>>;

interface CheckedStore {
  readonly database: OpenedDatabase;
  readonly settings: Settings;
  /** Reads the state of the tables once, when a check first needs it. Rejects if this version can't work with them. */
  readonly readSchema: () => Promise<SchemaState>;
}

export const checkedStoreOf = (database: OpenedDatabase, settings: Settings): CheckedStore => {
  let schema: Promise<SchemaState> | undefined;
  return { database, settings, readSchema: () => (schema ??= orFail(readUsableSchema(database))) };
};

interface DatabaseCheck {
  readonly name: CheckName;
  /** Name of an earlier check. If it fails, this check is skipped. */
  readonly needs?: CheckName;
  /** Returns findings, or throws CommandFailed. */
  readonly run: (store: CheckedStore) => Findings;
  /** Databases on which a start of `serve` makes the check too, after the migrations. */
  readonly forServeOn: ReadonlyArray<OpenedDatabase['engine']>;
}

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

const checkConnection = async ({ database, settings }: CheckedStore): Findings => {
  const findings = await orFail(inspectDatabase(database));
  if (database.engine === 'PostgreSQL')
    return findings.map((finding) => (finding.check === 'room' ? roomFinding(finding) : finding));
  const address = databaseUrlText(settings.DATABASE_URL);
  return [passed('connection', `${address} can be opened, and has no damage`)];
};

const checkSchema = async ({ settings, readSchema }: CheckedStore): Findings => {
  const schema = await readSchema();
  if (schema.generation === 0 && !mayCreateStore(settings)) throw notInitialized();
  if (schema.pending.length === 0) return [passed('schema', 'up to date')];
  const names = schema.pending.join(', ');
  return [passed('schema', `pending: ${names}; the next start or \`animal-store migrate\` runs them`)];
};

const slowCommitMs = 500;

const checkServing = async ({ database, readSchema }: CheckedStore): Findings => {
  const commitMs = await orFail(runDoctorChecks(database, await readSchema()));
  const commit = commitMs === undefined ? '' : `, and a commit takes ${Math.ceil(commitMs)} ms`;
  const text = `this user may do what \`serve\` does${commit}`;
  return commitMs !== undefined && commitMs > slowCommitMs
    ? [warned('rights', `${text}; the disk of the database or a standby is slow`)]
    : [passed('rights', text)];
};

/** Warns if the database can't count requests for RATE_LIMIT. */
const checkQuota = async ({ database, settings, readSchema }: CheckedStore): Findings => {
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

/** Reads all animals of a SQLite file, whose columns accept values that an animal can't have. */
const checkPets = async ({ database, readSchema }: CheckedStore): Findings => {
  if (database.engine === 'PostgreSQL' || (await readSchema()).pending.length > 0) return [];
  const faults = await orFail(findInvalidPets(database));
  return faults.length > 0
    ? faults.map((text) => failed('animals', text))
    : [passed('animals', 'every animal can be read')];
};

const checkStoredKeys = async ({ database, settings, readSchema }: CheckedStore): Findings => {
  const { generation } = await readSchema();
  return checkKeys(settings, generation === 0 ? undefined : database);
};

const everyEngine = ['SQLite', 'PostgreSQL'] as const;

/** Checks of an open database, in the order of `doctor`, which makes all of them. */
export const databaseChecks: ReadonlyArray<DatabaseCheck> = [
  // A start does not check a SQLite file for damage, because this reads the whole file.
  { name: 'connection', run: checkConnection, forServeOn: ['PostgreSQL'] },
  {
    name: 'disk',
    needs: 'connection',
    run: ({ database }) => orFail(inspectDisk(database)),
    forServeOn: ['SQLite'],
  },
  // A start runs the pending migrations, so it need not check for them.
  { name: 'schema', needs: 'connection', run: checkSchema, forServeOn: [] },
  {
    name: 'clock',
    needs: 'schema',
    run: ({ database }) => orFail(inspectClock(database)),
    forServeOn: everyEngine,
  },
  { name: 'rights', needs: 'schema', run: checkServing, forServeOn: [] },
  { name: 'animals', needs: 'rights', run: checkPets, forServeOn: [] },
  { name: 'quota', needs: 'schema', run: checkQuota, forServeOn: [] },
  { name: 'keys', needs: 'connection', run: checkStoredKeys, forServeOn: everyEngine },
];
