import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { Database } from '../../adapters/knex';
import type { StartFailure } from '../failures/start-failure';
import type { Settings } from '../settings/settings';
import { databaseOf } from './database-of';

/** Uses the database of the settings, and closes it whatever comes of that. */
export const withDatabase =
  <F, A>(use: (database: Database) => TE.TaskEither<F, A>) =>
  (settings: Settings): TE.TaskEither<StartFailure | F, A> =>
    pipe(
      databaseOf(settings),
      TE.fromNullable<StartFailure>({ _tag: 'NoDatabase' }),
      TE.flatMap(({ open }) => TE.bracketW(TE.fromIO(open), use, ({ close }) => TE.fromTask(close))),
    );
