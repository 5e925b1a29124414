import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { readFileSync, statSync } from 'node:fs';
import type { InvalidField } from '../../core';
import { exceptionCode } from '../../adapters/failures/exception-code';
import { parseDatabaseUrl } from './database-url';
import { isSet, valueOf } from './environment';

export const secretSettings = ['API_KEYS', 'DATABASE_URL'] as const;

export const fileSettings: ReadonlyArray<string> = secretSettings.map((name) => `${name}_FILE`);

type Environment = NodeJS.ReadOnlyDict<string>;

/**
 * Returns the name and the value of a secret setting. Reads the value from the file that `<name>_FILE` names, if any,
 * even if the variable itself is set, as DATABASE_URL is in the container image.
 */
export const readSecret =
  (environment: Environment) =>
  (name: string): E.Either<ReadonlyArray<InvalidField>, readonly [name: string, text: string]> => {
    const { [name]: text = '' } = environment;
    const file = valueOf(environment, `${name}_FILE`);
    if (file === '') return E.right([name, text]);
    return pipe(
      readSecretFile(file),
      E.bimap(
        (expected) => [{ name: `${name}_FILE`, rule: 'invalid', expected }],
        (secret) => [name, secret],
      ),
    );
  };

/**
 * Returns a function that reads the current URL from a file, because its password may be rotated. While the file has no
 * valid URL of PostgreSQL, the function returns the last valid one.
 */
export const rereadPostgresUrl = (file: string, connectionString: string): (() => string) => {
  let last = connectionString;
  return () => {
    const read = pipe(readSecretFile(file), E.chain(parseDatabaseUrl));
    if (E.isRight(read) && read.right._tag === 'Postgres') last = read.right.connectionString;
    return last;
  };
};

/** Reads a secret from a regular file. Rejects other kinds, because a pipe or a device may block or never end. */
const readSecretFile = (file: string): E.Either<string, string> => {
  try {
    const found = statSync(file);
    if (!found.isFile() || found.size > maxSecretBytes)
      return E.left(`a regular file of at most ${maxSecretBytes} bytes`);
    // `trim` also removes a byte order mark, which some editors add.
    const text = readFileSync(file, 'utf8').trim();
    return text === '' ? E.left('a file that is not empty') : E.right(text);
  } catch (error) {
    return E.left(`a file that this user can read (${exceptionCode(error) ?? String(error)})`);
  }
};

const maxSecretBytes = 1_000_000;

/**
 * Copies the variables of `upper` into `env`. For a secret in `upper`, also removes the variable `<name>_FILE` of
 * `env`, which would otherwise take precedence.
 */
export const overlayVariables = (env: NodeJS.Dict<string>, upper: Environment): void => {
  for (const name of secretSettings) if (isSet(upper, name)) Reflect.deleteProperty(env, `${name}_FILE`);
  Object.assign(env, upper);
};
