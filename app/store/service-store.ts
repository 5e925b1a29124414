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
  migrateExisting,
  permanentError,
  type PoolUsage,
  type RepositoryObserver,
} from '../../adapters/knex';
import { inMemoryQuota, postgresQuota } from '../../adapters/rate-limiter';
import { ApiKey, type ConsumeQuota, decodeOrThrow, KeyId, type Ports, unavailable } from '../../core';
import { fileAdvice, mountAdvice } from './file';
import { CommandFailed, orFail } from '../failures';
import type { Settings } from '../settings/settings';
import { databaseOf, mayCreateStore, requireFile } from './open-store';

export interface Backend {
  readonly ports: Ports;
  /**
   * Creates an API key if none is configured and none was ever issued. In production, `openBackend` throws instead. The
   * caller must print the key, because only its hash is stored. `lacksKey` is true if every request gets a 401.
   */
  readonly prepareKeys: () => Promise<{ readonly firstKey?: string; readonly lacksKey: boolean }>;
  /**
   * Returns the reason why the backend can't serve requests, or undefined if it can. Anyone can read the reason:
   * `/readyz` shows it.
   */
  readonly checkReadiness: () => Promise<string | undefined>;
  readonly isFileReplaced: () => boolean;
  readonly pools: () => ReadonlyArray<PoolUsage>;
  readonly readStatus: () => Promise<Partial<DatabaseStatus>>;
  readonly close: () => Promise<void>;
}

const hexDigits = 16;

/**
 * Derives the id of each key from the key, and not from its place in the list. The id then stays the same when other
 * keys are added or removed.
 */
export const environmentKeys = (keys: ReadonlyArray<ApiKey>): ReturnType<typeof inMemoryApiKeys> =>
  inMemoryApiKeys(
    keys.map((key) => [decodeOrThrow(KeyId, `env-${hash('sha256', key).slice(0, hexDigits)}`), key]),
  );

const needsKeyInProduction = ({ API_KEYS, NODE_ENV }: Settings): boolean =>
  API_KEYS.length === 0 && NODE_ENV === 'production';

/**
 * Picks the quota. On PostgreSQL, all instances share it. Otherwise it is in memory, because a shared quota on SQLite
 * would cost a commit for each request.
 */
const pickQuota = (
  { writes }: Database,
  { RATE_LIMIT, DATABASE_URL }: Settings,
): ConsumeQuota | undefined => {
  if (RATE_LIMIT === undefined) return undefined;
  return DATABASE_URL._tag === 'Postgres' ? postgresQuota(writes, RATE_LIMIT) : inMemoryQuota(RATE_LIMIT);
};

const readStatus = async (database: Database, { API_KEYS }: Settings): Promise<Partial<DatabaseStatus>> => {
  const status = await databaseStatus(database)();
  if (E.isLeft(status)) return {};
  return API_KEYS.length > 0
    ? { ...status.right, validKeys: API_KEYS.length, endingOwners: [] }
    : status.right;
};

const hasStoredKey = async (database: Database): Promise<boolean> =>
  (await orFail(apiKeyStore(database).list)).some(({ isValid }) => isValid);

/**
 * Throws if this user may not write the SQLite file. If the file is mounted without its folder, its log would be lost
 * with the container: throws in production, and otherwise warns.
 */
const checkFile = ({ DATABASE_URL: url, NODE_ENV }: Settings, printError: (text: string) => void): void => {
  if (url._tag !== 'Sqlite') return;
  const mount = mountAdvice(url.filename);
  const advice = fileAdvice(url.filename) ?? (NODE_ENV === 'production' ? mount : undefined);
  if (advice !== undefined) throw new CommandFailed(unavailable(permanentError(advice)));
  if (mount !== undefined) printError(`warning: ${mount}`);
};

const databaseBackend = (
  database: Database,
  settings: Settings,
  observer: RepositoryObserver | undefined,
): Backend => ({
  ports: {
    pets: knexPetRepository(database, { observer }),
    authenticate:
      settings.API_KEYS.length > 0
        ? environmentKeys(settings.API_KEYS).authenticate
        : knexAuthenticate(database),
    consumeQuota: pickQuota(database, settings),
  },
  prepareKeys: async () => {
    if (settings.API_KEYS.length > 0) return { lacksKey: false };
    const issued = await orFail(apiKeyStore(database).bootstrapKey('first key'));
    return issued === undefined
      ? { lacksKey: !(await hasStoredKey(database)) }
      : { firstKey: issued.key, lacksKey: false };
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
    ports: {
      pets: inMemoryPetRepository(),
      authenticate: environmentKeys(keys).authenticate,
      consumeQuota: RATE_LIMIT && inMemoryQuota(RATE_LIMIT),
    },
    prepareKeys: () => Promise.resolve({ ...(firstKey && { firstKey }), lacksKey: false }),
    checkReadiness: () => Promise.resolve(undefined),
    isFileReplaced: () => false,
    pools: () => [],
    readStatus: () => Promise.resolve({ validKeys: keys.length }),
    close: () => Promise.resolve(),
  };
};

/**
 * Opens and migrates the database of DATABASE_URL, or a store in memory, for serve/serve.ts. Throws CommandFailed if
 * the database can't be used, or if production has no valid API key.
 */
export const openBackend = async (
  settings: Settings,
  observer: RepositoryObserver | undefined,
  onProgress: (text: string) => void,
): Promise<Backend> => {
  if (settings.DATABASE_URL._tag === 'Memory') return memoryBackend(settings);
  if (!mayCreateStore(settings)) requireFile(settings);
  checkFile(settings, onProgress);
  const database = await databaseOf(settings).open();
  try {
    const prepare = mayCreateStore(settings) ? migrate : migrateExisting;
    await orFail(prepare(database, { onProgress }));
    if (needsKeyInProduction(settings) && !(await hasStoredKey(database)))
      throw new CommandFailed({ _tag: 'NoApiKey' });
  } catch (error) {
    await database.close();
    throw error;
  }
  return databaseBackend(database, settings, observer);
};
