import * as O from 'fp-ts/Option';
import { pipe } from 'fp-ts/function';
import { userInfo } from 'node:os';

/**
 * Returns the name of the user who runs this command: of SUDO_USER, or else of the process. A user without a name has
 * its number.
 */
export const operatorName = (env: NodeJS.ReadOnlyDict<string>): string =>
  env['SUDO_USER'] ??
  pipe(
    O.tryCatch(() => userInfo().username),
    O.getOrElse(() => `user ${process.getuid?.() ?? 'unknown'}`),
  );
