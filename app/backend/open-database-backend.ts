import { constVoid, pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import {
  apiKeyRegister,
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
import { databaseFailed, notMigrated, type StartFailure } from '../failures/start-failure';

const refuseWithoutKey = (
  database: Database,
  { API_KEYS, NODE_ENV }: Settings,
): TE.TaskEither<StartFailure, void> =>
  API_KEYS.length > 0 || NODE_ENV !== 'production'
    ? TE.right(undefined)
    : pipe(
        apiKeyRegister(database).list,
        TE.mapLeft(databaseFailed),
        TE.filterOrElse(
          (keys) => keys.length > 0,
          (): StartFailure => ({ _tag: 'NoApiKey' }),
        ),
        TE.map(constVoid),
      );

const makeFirstKey = (
  database: Database,
  { API_KEYS, NODE_ENV }: Settings,
): TE.TaskEither<StartFailure, string | undefined> =>
  API_KEYS.length > 0 || NODE_ENV === 'production'
    ? TE.right(undefined)
    : pipe(
        apiKeyRegister(database).issueFirst('first key'),
        TE.bimap(databaseFailed, (issued) => issued?.key),
      );

/** SQLite would pay a commit for each request that is counted, so that only PostgreSQL counts for all instances. */
const pickQuota = (
  { writes }: Database,
  { RATE_LIMIT, DATABASE_URL }: Settings,
): ConsumeQuota | undefined => {
  if (RATE_LIMIT === undefined) return undefined;
  return DATABASE_URL._tag === 'Postgres' ? postgresQuota(writes, RATE_LIMIT) : inMemoryQuota(RATE_LIMIT);
};

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
    TE.mapLeft(notMigrated),
    TE.flatMap(() => refuseWithoutKey(database, settings)),
    TE.map(() => toBackend(database, settings, observer)),
    TE.tapError(() => TE.fromTask(database.close)),
  );
