/* Warnings about environment variables that are probably a mistake. */

import * as E from 'fp-ts/Either';
import { ignoredVariables, isSet } from './environment';
import { fileSettings, secretSettings } from './secrets';
import { settingNames, type Settings } from './settings';

/** Returns warnings about an environment, and about the settings that were read from it if all of them are valid. */
export const settingWarnings = (
  environment: NodeJS.ReadOnlyDict<string>,
  settings: E.Either<unknown, Settings>,
): ReadonlyArray<string> => [
  ...misspeltSettings(environment),
  ...unusedSecrets(environment),
  ...(E.isRight(settings)
    ? [...ignoredConnection(environment, settings.right), ...shortKeys(settings.right)]
    : []),
];

export const misspeltSettings = (environment: NodeJS.ReadOnlyDict<string>): ReadonlyArray<string> =>
  Object.keys(environment)
    .filter((name) => !knownNames.includes(name) && name !== keyOfClients && isSet(environment, name))
    .flatMap((name) => {
      const meant = knownNames.find((setting) => isOneEditApart(name.toUpperCase(), setting));
      return meant === undefined ? [] : [`unknown setting ${name}; did you mean ${meant}?`];
    });

const knownNames: ReadonlyArray<string> = [...settingNames, ...fileSettings];

/** Variable of the examples in docs/client.md, which is not a misspelling of `API_KEYS`. */
const keyOfClients = 'API_KEY';

/** Reports whether texts are equal or one edit apart: one character added, removed or replaced, or two swapped. */
const isOneEditApart = (one: string, other: string): boolean => {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  const [left, right] = [one.slice(same), other.slice(same)];
  const transposed = `${right.charAt(1)}${right.charAt(0)}${right.slice(2)}`;
  return (
    left === right.slice(1) ||
    left.slice(1) === right ||
    left.slice(1) === right.slice(1) ||
    left === transposed
  );
};

const unusedSecrets = (environment: NodeJS.ReadOnlyDict<string>): ReadonlyArray<string> =>
  secretSettings
    .filter((name) => [name, `${name}_FILE`].every((each) => isSet(environment, each)))
    .map((name) => `${name} is ignored, because ${name}_FILE is set`);

const ignoredConnection = (
  environment: NodeJS.ReadOnlyDict<string>,
  { DATABASE_URL }: Settings,
): ReadonlyArray<string> =>
  DATABASE_URL._tag === 'Postgres'
    ? ignoredVariables(environment)
        .filter((name) => connectionVariable.test(name))
        .map((name) => `${name} is ignored; use the parameters of DATABASE_URL`)
    : [];

/** Matches the libpq variables that choose the server, the database or the connection. */
const connectionVariable =
  /^PG(?:HOST(?:ADDR)?|PORT|DATABASE|SERVICE(?:FILE)?|OPTIONS|SSL[A-Z_]*|REQUIRE(?:SSL|PEER|AUTH)|CHANNELBINDING|GSSENCMODE|KRBSRVNAME|TARGETSESSIONATTRS|LOADBALANCEHOSTS|CONNECT_TIMEOUT)$/;

const shortKeys = ({ API_KEYS }: Settings): ReadonlyArray<string> => {
  const short = API_KEYS.filter(({ length }) => length < charactersOf128Bits).length;
  if (short === 0) return [];
  const remedy = `use at least ${charactersOf128Bits} random characters, as from \`openssl rand -base64 32\``;
  return [`${short} ${short === 1 ? 'key' : 'keys'} in API_KEYS can be guessed; ${remedy}`];
};

const charactersOf128Bits = 22;
