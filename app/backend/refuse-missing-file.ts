import * as E from 'fp-ts/Either';
import { existsSync } from 'node:fs';
import type { StartFailure } from '../failures/start-failure';
import type { Settings } from '../settings/settings';

/** For what only reads: opening a file that is not there would make an empty one. */
export const refuseMissingFile = (settings: Settings): E.Either<StartFailure, Settings> => {
  const { DATABASE_URL: address } = settings;
  return address._tag === 'Sqlite' && !existsSync(address.filename)
    ? E.left({ _tag: 'NoFile', filename: address.filename })
    : E.right(settings);
};
