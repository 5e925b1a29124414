import * as E from 'fp-ts/Either';
import { hash, randomBytes } from 'node:crypto';
import { inMemoryApiKeys, inMemoryPetRepository } from '../../adapters/in-memory';
import {
  apiKeyStore,
  type Database,
  databaseStatus,
  type DatabaseStatus,
  knexAuthenticate,
  knexPetRepository,
  knexReadiness,
  migrate,
  type PoolUsage,
  type RepositoryObserver,
  tryWriting,
} from '../../adapters/knex';
import { inMemoryQuota, postgresQuota } from '../../adapters/rate-limiter';
import { ApiKey, type ConsumeQuota, decodeOrThrow, KeyId, type Ports, unavailable } from '../../core';
import { fileAdvice } from './database-file';
import { errorCode } from '../error-code';
import { CommandFailed, orFail } from '../failures';
import type { Settings } from '../settings';
import { databaseOf } from './database';

export interface Backend {
  readonly ports: Ports;
  readonly consumeQuota: ConsumeQuota | undefined;
  /**
   * Creates a key if none is configured or was ever issued, but not in production. The caller must print it, since only
   * its hash is stored.
   */
  readonly createFirstKey: () => Promise<string | undefined>;
  /** Returns the reason why the backend can't serve, or undefined. The reason is public: `/readyz` shows it. */
  readonly checkReadiness: () => Promise<string | undefined>;
  readonly isFileReplaced: () => boolean;
  readonly pools: () => ReadonlyArray<PoolUsage>;
  readonly readStatus: () => Promise<Partial<DatabaseStatus>>;
  readonly close: () => Promise<void>;
}

const hexDigits = 16;

/** Derives each id from the key and not from its place in the list, so that changes to other keys leave it the same. */
export const environmentKeys = (keys: ReadonlyArray<ApiKey>): ReturnType<typeof inMemoryApiKeys> =>
  inMemoryApiKeys(
    keys.map((key) => [decodeOrThrow(KeyId, `env-${hash('sha256', key).slice(0, hexDigits)}`), key]),
  );

const needsKeyInProduction = ({ API_KEYS, NODE_ENV }: Settings): boolean =>
  API_KEYS.length === 0 && NODE_ENV === 'production';

/**
 * Picks the quota: on PostgreSQL one that all instances share, otherwise one in memory. A shared one on SQLite would
 * cost a commit for each request.
 */
const pickQuota = (
  { writes, preparesStatements }: Database,
  { RATE_LIMIT, DATABASE_URL }: Settings,
): ConsumeQuota | undefined => {
  if (RATE_LIMIT === undefined) return undefined;
  return DATABASE_URL._tag === 'Postgres'
    ? postgresQuota(writes, RATE_LIMIT, preparesStatements)
    : inMemoryQuota(RATE_LIMIT);
};

const readStatus = async (database: Database, { API_KEYS }: Settings): Promise<Partial<DatabaseStatus>> => {
  const status = await databaseStatus(database)();
  if (E.isLeft(status)) return {};
  return API_KEYS.length > 0
    ? { ...status.right, validKeys: API_KEYS.length, endingOwners: [] }
    : status.right;
};

/** SQLSTATE classes 42 (syntax or access rule) and 0A (feature not supported), which a retry can't cure. */
const isPermanent = (cause: unknown): boolean => /^(?:42|0A)...$/.test(errorCode(cause) ?? '');

/** Throws if no create can ever succeed. A busy, full or temporarily read-only database can still serve reads. */
const refuseUnwritable = async (database: Database, { DATABASE_URL: address }: Settings): Promise<void> => {
  if (address._tag === 'Sqlite') {
    // Checks the permissions only, since a trial write would wait for the lock of another process.
    const advice = fileAdvice(address.filename);
    if (advice !== undefined) throw new CommandFailed(unavailable(new Error('it is not writable')));
    return;
  }
  const written = await tryWriting(database)();
  if (E.isLeft(written) && isPermanent(written.left.cause)) throw new CommandFailed(written.left);
};

const prepareDatabase = async (
  database: Database,
  settings: Settings,
  onProgress: (text: string) => void,
): Promise<void> => {
  await orFail(migrate(database, { onProgress }));
  await refuseUnwritable(database, settings);
  if (!needsKeyInProduction(settings)) return;
  const keys = await orFail(apiKeyStore(database).list);
  if (!keys.some(({ isValid }) => isValid)) throw new CommandFailed({ _tag: 'NoApiKey' });
};

const databaseBackend = (database: Database, settings: Settings, observer: RepositoryObserver): Backend => ({
  ports: {
    pets: knexPetRepository(database, { observer }),
    authenticate:
      settings.API_KEYS.length > 0
        ? environmentKeys(settings.API_KEYS).authenticate
        : knexAuthenticate(database),
  },
  consumeQuota: pickQuota(database, settings),
  createFirstKey: async () => {
    if (settings.API_KEYS.length > 0 || settings.NODE_ENV === 'production') return undefined;
    return (await orFail(apiKeyStore(database).bootstrapKey('first key')))?.key;
  },
  checkReadiness: knexReadiness(database),
  isFileReplaced: database.isFileReplaced,
  pools: database.poolUsage,
  readStatus: () => readStatus(database, settings),
  close: database.close,
});

const memoryBackend = (settings: Settings): Backend => {
  if (needsKeyInProduction(settings)) throw new CommandFailed({ _tag: 'NoApiKey' });
  const { API_KEYS, RATE_LIMIT } = settings;
  const firstKey =
    API_KEYS.length > 0
      ? undefined
      : decodeOrThrow(ApiKey, `animals_${randomBytes(32).toString('base64url')}`);
  const keys = firstKey === undefined ? API_KEYS : [firstKey];
  return {
    ports: { pets: inMemoryPetRepository(), authenticate: environmentKeys(keys).authenticate },
    consumeQuota: RATE_LIMIT && inMemoryQuota(RATE_LIMIT),
    createFirstKey: () => Promise.resolve(firstKey),
    checkReadiness: () => Promise.resolve(undefined),
    isFileReplaced: () => false,
    pools: () => [],
    readStatus: () => Promise.resolve({ validKeys: keys.length }),
    close: () => Promise.resolve(),
  };
};

export const openBackend = async (
  settings: Settings,
  observer: RepositoryObserver,
  onProgress: (text: string) => void,
): Promise<Backend> => {
  const named = databaseOf(settings);
  if (named === undefined) return memoryBackend(settings);
  const database = await named.open();
  try {
    await prepareDatabase(database, settings, onProgress);
  } catch (error) {
    await database.close();
    throw error;
  }
  return databaseBackend(database, settings, observer);
};
