import * as E from 'fp-ts/Either';
import { constVoid, pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { type StartFailure, startFailureText } from '../failures/start-failure';
import { readSettings } from '../settings/read-settings';
import type { Settings } from '../settings/settings';
import type { Terminal } from '../terminal/terminal';

/** Runs a command with the settings of the environment. A failure is said in words, with exit code 1. */
export const runCommand = async (
  { env, say, fail }: Terminal,
  command: (settings: Settings) => TE.TaskEither<StartFailure, void>,
): Promise<void> => {
  await pipe(
    readSettings(env),
    E.mapLeft((fieldErrors) => startFailureText({ _tag: 'InvalidSettings', fieldErrors })),
    TE.fromEither,
    TE.flatMap((settings) =>
      pipe(
        command(settings),
        TE.mapLeft((failure) => startFailureText(failure, settings.DATABASE_URL)),
      ),
    ),
    TE.match((text) => {
      say(`animal-store: ${text}`);
      fail(1);
    }, constVoid),
  )();
};
