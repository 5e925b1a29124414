import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { RepositoryObserver } from '../../adapters/knex';
import type { StartFailure } from '../failures/start-failure';
import type { Settings } from '../settings/settings';
import type { Backend } from './backend';
import { databaseOf } from './database-of';
import { openDatabaseBackend } from './open-database-backend';
import { openMemoryBackend } from './open-memory-backend';

/** Picks the adapters that the settings name. What half of it has opened is closed again when the rest fails. */
export const openBackend = (
  settings: Settings,
  observer: RepositoryObserver,
  onProgress: (text: string) => void,
): TE.TaskEither<StartFailure, Backend> => {
  const named = databaseOf(settings);
  return named === undefined
    ? openMemoryBackend(settings)
    : pipe(
        TE.fromIO(named.open),
        TE.flatMap((database) => openDatabaseBackend(database, settings, observer, onProgress)),
      );
};
