import * as E from 'fp-ts/Either';
import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import { inMemoryApiKeys, inMemoryPetRepository, inMemoryQuota } from '../../adapters/in-memory';
import {
  apiKeyStore,
  type OpenedDatabase,
  databaseStatus,
  type DatabaseStatus,
  knexAuthenticate,
  knexPetRepository,
  knexReadiness,
  newApiKey,
  type PoolUsage,
  postgresQuota,
  type RepositoryObserver,
} from '../../adapters/knex';
import { type ApiKey, type ConsumeQuota, decodeOrThrow, KeyId, type Ports } from '../../core';
import { messageOf, orFail } from '../failures';
import { isProduction, keySourceOf, type Settings } from '../settings/settings';
import { prepareStart, type StartMessages } from './checks/start';
import { openDatabase, runStart } from './stages';
import { operatorName } from '../failures/user';

export interface ServiceStore {
  readonly ports: Ports;
  /**
   * Creates and returns an API key if none is configured and none was ever created, otherwise returns undefined. The
   * caller must print the key, because only its hash is stored.
   */
  readonly createFirstKey: () => Promise<string | undefined>;
  /**
   * Returns the reason why the store can't serve requests, or undefined if it can. The reason must contain no secret,
   * because `/readyz` shows it to anyone.
   */
  readonly findObstacle: () => Promise<string | undefined>;
  readonly isFileReplaced: () => boolean;
  readonly pools: () => ReadonlyArray<PoolUsage>;
  readonly readStatus: () => Promise<Partial<DatabaseStatus>>;
  readonly close: () => Promise<void>;
}

/** Messages of a start, and the environment whose SUDO_USER names who creates the first key. */
export interface ServiceStoreOptions extends StartMessages {
  readonly env: NodeJS.ReadOnlyDict<string>;
}

/**
 * Opens and migrates the database of DATABASE_URL, or makes a store in memory. Throws CommandFailed if the database
 * can't be used, or if there is no valid API key in production.
 */
export const openServiceStore = async (
  settings: Settings,
  observer: RepositoryObserver | undefined,
  logger: Logger,
  { env, ...messages }: ServiceStoreOptions,
): Promise<ServiceStore> => {
  const options = { mayCreate: !isProduction(settings), ...messages };
  if (settings.DATABASE_URL._tag === 'Memory') {
    await runStart(prepareStart(settings, 'serve', options), messages.printMessage);
    return memoryStore(settings);
  }
  const { database } = await openDatabase(settings, 'serve', options);
  const keys =
    keySourceOf(settings) === 'API_KEYS' ? keysOfSettings(settings) : keysOfDatabase(database, env);
  return {
    ports: {
      pets: knexPetRepository(database, { observer, idempotencyTtlMs: ttlMsOf(settings) }),
      authenticate: keys.authenticate,
      consumeQuota: pickQuota(database, settings, logger),
    },
    createFirstKey: keys.createFirst,
    findObstacle: withDoctorHint(knexReadiness(database)),
    isFileReplaced: () => database.engine === 'SQLite' && database.isFileReplaced(),
    pools: database.poolUsage,
    readStatus: async () => {
      const status = await databaseStatus(database)();
      return E.isLeft(status) ? {} : { ...status.right, ...keys.status };
    },
    close: database.close,
  };
};

const memoryStore = (settings: Settings): ServiceStore => {
  const keys = keySourceOf(settings) === 'API_KEYS' ? keysOfSettings(settings) : oneKeyInMemory();
  return {
    ports: {
      pets: inMemoryPetRepository({ idempotencyTtlMs: ttlMsOf(settings) }),
      authenticate: keys.authenticate,
      consumeQuota: settings.RATE_LIMIT && inMemoryQuota(settings.RATE_LIMIT),
    },
    createFirstKey: keys.createFirst,
    findObstacle: () => Promise.resolve(undefined),
    isFileReplaced: () => false,
    pools: () => [],
    readStatus: () => Promise.resolve(keys.status),
    close: () => Promise.resolve(),
  };
};

/**
 * Source of the valid API keys. `status` counts the keys of the settings. It is empty for keys in the database, because
 * the status of the database counts those.
 */
interface KeySource {
  readonly authenticate: Ports['authenticate'];
  readonly createFirst: ServiceStore['createFirstKey'];
  readonly status: Partial<DatabaseStatus>;
}

const keysOfSettings = ({ API_KEYS }: Settings): KeySource => ({
  authenticate: configuredKeys(API_KEYS).authenticate,
  createFirst: () => Promise.resolve(undefined),
  status: { validKeys: API_KEYS.length, endingOwners: [] },
});

const keysOfDatabase = (database: OpenedDatabase, env: NodeJS.ReadOnlyDict<string>): KeySource => ({
  authenticate: knexAuthenticate(database),
  createFirst: async () =>
    (await orFail(apiKeyStore(database, operatorName(env)).bootstrapKey('first key')))?.key,
  status: {},
});

const oneKeyInMemory = (): KeySource => {
  const { id, key } = newApiKey();
  return {
    authenticate: inMemoryApiKeys([[id, key]]).authenticate,
    createFirst: () => Promise.resolve(key),
    status: { validKeys: 1 },
  };
};

/**
 * Makes the adapter that knows the keys of API_KEYS. Derives the id of a key from the key, and not from its place in
 * the list. The id then stays the same when other keys are added or removed.
 */
export const configuredKeys = (keys: ReadonlyArray<ApiKey>): ReturnType<typeof inMemoryApiKeys> =>
  inMemoryApiKeys(
    keys.map((key) => [decodeOrThrow(KeyId, `env-${hash('sha256', key).slice(0, hexDigits)}`), key]),
  );

const hexDigits = 16;

const ttlMsOf = ({ IDEMPOTENCY_HOURS }: Settings): number => IDEMPOTENCY_HOURS * 3_600_000;

const withDoctorHint =
  (find: ServiceStore['findObstacle']): ServiceStore['findObstacle'] =>
  async () => {
    const reason = await find();
    return reason === undefined ? undefined : `${reason}; run \`animal-store doctor\``;
  };

/**
 * Makes the rate limit, if one is set. On PostgreSQL, all instances count together. Otherwise each process counts in
 * memory, because counting together on SQLite would cost a commit for each request.
 */
const pickQuota = (
  database: OpenedDatabase,
  { RATE_LIMIT }: Settings,
  logger: Logger,
): ConsumeQuota | undefined => {
  if (RATE_LIMIT === undefined) return undefined;
  const local = inMemoryQuota(RATE_LIMIT);
  return database.engine === 'PostgreSQL'
    ? withFallback(postgresQuota(database, RATE_LIMIT), local, logger)
    : local;
};

/** Counts with `local` while `shared` fails, so that reads are answered while the database rejects writes. */
const withFallback = (shared: ConsumeQuota, local: ConsumeQuota, logger: Logger): ConsumeQuota => {
  let retryAt: number | undefined;
  return (ownerId, deadline) => async () => {
    const now = performance.now();
    if (retryAt !== undefined) {
      if (now < retryAt) return local(ownerId, deadline)();
      retryAt = now + recountMs;
    }
    const counted = await shared(ownerId, deadline)();
    if (E.isRight(counted)) {
      retryAt = undefined;
      return counted;
    }
    if (retryAt === undefined)
      logger.warn(
        { reason: messageOf(counted.left.cause) },
        'each instance counts its own requests for RATE_LIMIT, because the database can store no count',
      );
    retryAt = performance.now() + recountMs;
    return local(ownerId, deadline)();
  };
};

/** Time for which this process counts requests itself before it tries the database again. */
const recountMs = 1_000;
