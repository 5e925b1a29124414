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
  type RepositoryObserver,
} from '../../adapters/knex';
import { type ApiKey, decodeOrThrow, KeyId, type Ports } from '../../core';
import { orFail } from '../failures';
import { mayCreateStore, type Settings } from '../settings/settings';
import { checkKeys } from './checks/check-keys';
import { openDatabase, type StartMessages } from './open-database';
import { pickQuota } from './quota';
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

const hexDigits = 16;

/**
 * Makes the adapter that knows the keys of API_KEYS. Derives the id of a key from the key, and not from its place in
 * the list. The id then stays the same when other keys are added or removed.
 */
export const configuredKeys = (keys: ReadonlyArray<ApiKey>): ReturnType<typeof inMemoryApiKeys> =>
  inMemoryApiKeys(
    keys.map((key) => [decodeOrThrow(KeyId, `env-${hash('sha256', key).slice(0, hexDigits)}`), key]),
  );

const ttlMsOf = ({ IDEMPOTENCY_HOURS }: Settings): number => IDEMPOTENCY_HOURS * 3_600_000;

const readStatus = async (
  database: OpenedDatabase,
  { API_KEYS }: Settings,
): Promise<Partial<DatabaseStatus>> => {
  const status = await databaseStatus(database)();
  if (E.isLeft(status)) return {};
  return API_KEYS.length > 0
    ? { ...status.right, validKeys: API_KEYS.length, endingOwners: [] }
    : status.right;
};

/** Adds the hint to run `animal-store doctor` to the reason why the store is not ready. */
const withDoctorHint =
  (find: ServiceStore['findObstacle']): ServiceStore['findObstacle'] =>
  async () => {
    const reason = await find();
    return reason === undefined ? undefined : `${reason}; run \`animal-store doctor\``;
  };

const databaseStore = (
  database: OpenedDatabase,
  settings: Settings,
  observer: RepositoryObserver | undefined,
  logger: Logger,
): ServiceStore => ({
  ports: {
    pets: knexPetRepository(database, { observer, idempotencyTtlMs: ttlMsOf(settings) }),
    authenticate:
      settings.API_KEYS.length > 0
        ? configuredKeys(settings.API_KEYS).authenticate
        : knexAuthenticate(database),
    consumeQuota: pickQuota(database, settings, logger),
  },
  createFirstKey: async () =>
    settings.API_KEYS.length > 0
      ? undefined
      : (await orFail(apiKeyStore(database, operatorName(process.env)).bootstrapKey('first key')))?.key,
  findObstacle: withDoctorHint(knexReadiness(database)),
  isFileReplaced: () => database.engine === 'SQLite' && database.isFileReplaced(),
  pools: database.poolUsage,
  readStatus: () => readStatus(database, settings),
  close: database.close,
});

const memoryStore = (settings: Settings): ServiceStore => {
  const { API_KEYS, RATE_LIMIT } = settings;
  const first = API_KEYS.length > 0 ? undefined : newApiKey();
  const keys = first === undefined ? configuredKeys(API_KEYS) : inMemoryApiKeys([[first.id, first.key]]);
  return {
    ports: {
      pets: inMemoryPetRepository({ idempotencyTtlMs: ttlMsOf(settings) }),
      authenticate: keys.authenticate,
      consumeQuota: RATE_LIMIT && inMemoryQuota(RATE_LIMIT),
    },
    createFirstKey: () => Promise.resolve(first?.key),
    findObstacle: () => Promise.resolve(undefined),
    isFileReplaced: () => false,
    pools: () => [],
    readStatus: () => Promise.resolve({ validKeys: API_KEYS.length || 1 }),
    close: () => Promise.resolve(),
  };
};

/**
 * Opens and migrates the database of DATABASE_URL, or makes a store in memory. Throws CommandFailed if the database
 * can't be used, or if there is no valid API key in production.
 */
export const openServiceStore = async (
  settings: Settings,
  observer: RepositoryObserver | undefined,
  logger: Logger,
  messages: StartMessages,
): Promise<ServiceStore> => {
  if (settings.DATABASE_URL._tag === 'Memory') {
    await checkKeys(settings, undefined);
    return memoryStore(settings);
  }
  const options = { mayCreate: mayCreateStore(settings), ...messages };
  const { database } = await openDatabase(settings, 'serve', options);
  return databaseStore(database, settings, observer, logger);
};
