import * as E from 'fp-ts/Either';
import type { FieldError } from '../../core';
import { placeOf, readSecretFiles } from './secret-files';
import { decodeSettings, type Settings } from './settings';

/** What an environment and the secret files that it names say, or every bad setting at once. It reads those files. */
export const readSettings = (
  environment: Readonly<Record<string, string | undefined>>,
): E.Either<ReadonlyArray<FieldError>, Settings> => {
  const files = readSecretFiles(environment);
  const decoded = decodeSettings(files.environment);
  const fieldErrors = E.isLeft(decoded)
    ? decoded.left.map((error) => ({ ...error, field: placeOf(error.field, environment) }))
    : [];
  return files.fieldErrors.length + fieldErrors.length > 0
    ? E.left([...files.fieldErrors, ...fieldErrors])
    : decoded;
};
