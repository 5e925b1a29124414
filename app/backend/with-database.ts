import * as TE from 'fp-ts/TaskEither';
import type { Database } from '../../adapters/knex';
import { openDatabase } from './open-database';
import type { Settings } from '../settings/settings';
import type { StartFailure } from '../failures/start-failure';

/** Uses the database of the settings, and closes it whatever comes of that. */
export const withDatabase =
  <F, A>(use: (database: Database) => TE.TaskEither<F, A>) =>
  (settings: Settings): TE.TaskEither<StartFailure | F, A> => {
    const database = openDatabase(settings);
    return database === undefined
      ? TE.left({ _tag: 'NoDatabase' })
      : TE.bracketW(TE.right(database), use, ({ close }) => TE.fromTask(close));
  };
