import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { type Database, migrate, type MigrateOptions } from '../../adapters/knex';
import type { StartFailure } from '../failures/start-failure';
import type { Settings } from '../settings/settings';
import { databaseOf } from './database-of';

/** Uses the database of the settings, brought up to date by the migrations `ran`, and closes it whatever comes of that. */
export const withDatabase =
  <F, A>(
    options: MigrateOptions,
    use: (database: Database, ran: ReadonlyArray<string>) => TE.TaskEither<F, A>,
  ) =>
  (settings: Settings): TE.TaskEither<StartFailure | F, A> =>
    pipe(
      databaseOf(settings),
      TE.fromNullable<StartFailure>({ _tag: 'NoDatabase' }),
      TE.flatMap(({ open }) =>
        TE.bracketW(
          TE.fromIO(open),
          (database) =>
            pipe(
              migrate(database, options),
              TE.flatMap((ran) => use(database, ran)),
            ),
          ({ close }) => TE.fromTask(close),
        ),
      ),
    );
