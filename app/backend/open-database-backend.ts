import { pipe } from 'fp-ts/function';
import type * as T from 'fp-ts/Task';
import * as TE from 'fp-ts/TaskEither';
import {
  apiKeyRegister,
  databaseStatus,
  type DatabaseStatus,
  type Database,
  knexAuthenticate,
  knexPetRepository,
  knexReadiness,
  migrate,
  type RepositoryObserver,
} from '../../adapters/knex';
import { inMemoryQuota, postgresQuota } from '../../adapters/rate-limiter';
import type { ConsumeQuota } from '../../core';
import type { Backend } from './backend';
import { environmentKeys } from './environment-keys';
import type { Settings } from '../settings/settings';
import type { StartFailure } from '../failures/start-failure';

const refuseWithoutKey = (
  database: Database,
  { API_KEYS, NODE_ENV }: Settings,
): TE.TaskEither<StartFailure, unknown> =>
  API_KEYS.length > 0 || NODE_ENV !== 'production'
    ? TE.right(undefined)
    : pipe(
        apiKeyRegister(database).list,
        TE.filterOrElse(
          (keys) => keys.some(({ isValid }) => isValid),
          (): StartFailure => ({ _tag: 'NoApiKey' }),
        ),
      );

const makeFirstKey = (
  database: Database,
  { API_KEYS, NODE_ENV }: Settings,
): TE.TaskEither<StartFailure, string | undefined> =>
  API_KEYS.length > 0 || NODE_ENV === 'production'
    ? TE.right(undefined)
    : pipe(
        apiKeyRegister(database).issueFirst('first key'),
        TE.map((issued) => issued?.key),
      );

/** SQLite would pay a commit for each request that is counted, so that only PostgreSQL counts for all instances. */
const pickQuota = (
  { writes, preparesStatements }: Database,
  { RATE_LIMIT, DATABASE_URL }: Settings,
): ConsumeQuota | undefined => {
  if (RATE_LIMIT === undefined) return undefined;
  return DATABASE_URL._tag === 'Postgres'
    ? postgresQuota(writes, RATE_LIMIT, preparesStatements)
    : inMemoryQuota(RATE_LIMIT);
};

/** Keys of the database let nobody in where API_KEYS has some. */
const readStatus = (database: Database, { API_KEYS }: Settings): T.Task<Partial<DatabaseStatus>> =>
  pipe(
    databaseStatus(database),
    TE.match(
      (): Partial<DatabaseStatus> => ({}),
      (status) =>
        API_KEYS.length > 0 ? { ...status, validKeys: API_KEYS.length, endingOwners: [] } : status,
    ),
  );

const toBackend = (database: Database, settings: Settings, observer: RepositoryObserver): Backend => ({
  ports: {
    pets: knexPetRepository(database, { observer }),
    authenticate:
      settings.API_KEYS.length > 0
        ? environmentKeys(settings.API_KEYS).authenticate
        : knexAuthenticate(database),
  },
  consumeQuota: pickQuota(database, settings),
  makeFirstKey: makeFirstKey(database, settings),
  checkReadiness: knexReadiness(database),
  isFileReplaced: database.isFileReplaced,
  pools: database.poolUsage,
  readStatus: readStatus(database, settings),
  close: database.close,
});

/** Animals in a SQL database, brought up to date first; keys from API_KEYS, else from the database. */
export const openDatabaseBackend = (
  database: Database,
  settings: Settings,
  observer: RepositoryObserver,
  onProgress: (text: string) => void,
): TE.TaskEither<StartFailure, Backend> =>
  pipe(
    migrate(database, { onProgress }),
    TE.flatMap(() => refuseWithoutKey(database, settings)),
    TE.map(() => toBackend(database, settings, observer)),
    TE.tapError(() => TE.fromTask(database.close)),
  );
