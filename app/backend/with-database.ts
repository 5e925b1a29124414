import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { once } from 'node:events';
import { type Database, migrate, type MigrateOptions } from '../../adapters/knex';
import { unavailable } from '../../core';
import type { StartFailure } from '../failures/start-failure';
import type { Settings } from '../settings/settings';
import { databaseOf } from './database-of';

interface Options extends MigrateOptions {
  /** Gives up what waits for others before the database can be used, which may be ten minutes. */
  readonly interruption?: AbortSignal;
}

const interrupted = async (signal: AbortSignal): Promise<E.Either<StartFailure, never>> => {
  if (!signal.aborted) await once(signal, 'abort');
  return E.left(unavailable(signal.reason));
};

/** What an interruption leaves of a migration goes on by itself until the process ends: all of it or nothing is kept. */
const migrateUnlessInterrupted = (
  database: Database,
  { interruption, ...options }: Options,
): TE.TaskEither<StartFailure, ReadonlyArray<string>> =>
  interruption === undefined
    ? migrate(database, options)
    : () => Promise.race([migrate(database, options)(), interrupted(interruption)]);

/** Uses the database of the settings, brought up to date by the migrations `ran`, and closes it whatever comes of that. */
export const withDatabase =
  <F, A>(options: Options, use: (database: Database, ran: ReadonlyArray<string>) => TE.TaskEither<F, A>) =>
  (settings: Settings): TE.TaskEither<StartFailure | F, A> =>
    pipe(
      databaseOf(settings),
      TE.fromNullable<StartFailure>({ _tag: 'NoDatabase' }),
      TE.flatMap(({ open }) =>
        TE.bracketW(
          TE.fromIO(open),
          (database) =>
            pipe(
              migrateUnlessInterrupted(database, options),
              TE.flatMap((ran) => use(database, ran)),
            ),
          ({ close }) => TE.fromTask(close),
        ),
      ),
    );
