import type { TaskEither } from 'fp-ts/TaskEither';
import type { RepositoryObserver } from '../../adapters/knex';
import type { Backend } from './backend';
import { openDatabase } from './open-database';
import { openDatabaseBackend } from './open-database-backend';
import { openMemoryBackend } from './open-memory-backend';
import type { Settings } from '../settings/settings';
import type { StartFailure } from '../failures/start-failure';

/** Picks the adapters that the settings name. What half of it has opened is closed again when the rest fails. */
export const openBackend = (
  settings: Settings,
  observer?: RepositoryObserver,
): TaskEither<StartFailure, Backend> => {
  const database = openDatabase(settings);
  return database === undefined
    ? openMemoryBackend(settings)
    : openDatabaseBackend(database, settings, observer);
};
