import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { FieldError } from '../../core';
import { placeOf, readSecretFiles } from './secret-files';
import { decodeSettings, type Settings } from './settings';

/** What an environment and the secret files that it names say, or every bad setting at once. It reads those files. */
export const readSettings = (
  environment: NodeJS.ReadOnlyDict<string>,
): E.Either<ReadonlyArray<FieldError>, Settings> => {
  const { environment: complete, fieldErrors: unread } = readSecretFiles(environment);
  return pipe(
    decodeSettings(complete),
    E.mapLeft((errors) => [
      ...unread,
      ...errors.map((error) => ({ ...error, field: placeOf(error.field, environment) })),
    ]),
    E.filterOrElse(
      () => unread.length === 0,
      () => unread,
    ),
  );
};
