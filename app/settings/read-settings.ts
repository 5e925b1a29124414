import * as E from 'fp-ts/Either';
import type { FieldFault } from '../../core';
import { placeOf, readSecretFiles } from './secret-files';
import { decodeSettings, type Settings } from './settings';

/** What an environment and the secret files that it names say, or every fault at once. It reads those files. */
export const readSettings = (
  environment: Readonly<Record<string, string | undefined>>,
): E.Either<ReadonlyArray<FieldFault>, Settings> => {
  const files = readSecretFiles(environment);
  const decoded = decodeSettings(files.environment);
  const faults = E.isLeft(decoded)
    ? decoded.left.map((fault) => ({ ...fault, field: placeOf(fault.field, environment) }))
    : [];
  return files.faults.length + faults.length > 0 ? E.left([...files.faults, ...faults]) : decoded;
};
