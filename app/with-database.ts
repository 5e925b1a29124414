import * as TE from 'fp-ts/TaskEither';
import type { Database } from '../adapters/knex';
import { openDatabase } from './open-database';
import type { Settings } from './settings';
import type { StartFailure } from './start-failure';

/** Uses the database of the settings, and closes it whatever comes of that. */
export const withDatabase =
  (use: (database: Database) => TE.TaskEither<StartFailure, void>) =>
  (settings: Settings): TE.TaskEither<StartFailure, void> => {
    const database = openDatabase(settings);
    return database === undefined
      ? TE.left({ _tag: 'NoDatabase' })
      : TE.bracket(TE.right(database), use, ({ close }) => TE.fromTask(close));
  };
