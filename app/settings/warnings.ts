/* Warnings about environment variables that are probably a mistake. */

import { isOneEditApart } from './one-edit-apart';
import { fileSettings, settingNames, type Settings } from './settings';

const known: ReadonlyArray<string> = [...settingNames, ...fileSettings];

/** Variable of the examples in docs/client.md, which is not a misspelling of `API_KEYS`. */
const keyOfClients = 'API_KEY';

export const misspeltSettings = (environment: NodeJS.ReadOnlyDict<string>): ReadonlyArray<string> =>
  Object.keys(environment)
    .filter((name) => !known.includes(name) && name !== keyOfClients && (environment[name] ?? '') !== '')
    .flatMap((name) => {
      const meant = known.find((setting) => isOneEditApart(name.toUpperCase(), setting));
      return meant === undefined ? [] : [`unknown setting ${name}; did you mean ${meant}?`];
    });

const charactersOf128Bits = 22;

const shortKeys = ({ API_KEYS }: Settings): ReadonlyArray<string> => {
  const short = API_KEYS.filter(({ length }) => length < charactersOf128Bits).length;
  return short === 0
    ? []
    : [
        `${short} ${short === 1 ? 'key' : 'keys'} in API_KEYS can be guessed; use at least ${charactersOf128Bits} random characters, as from \`openssl rand -base64 32\``,
      ];
};

export const settingWarnings = (
  environment: NodeJS.ReadOnlyDict<string>,
  settings: Settings,
): ReadonlyArray<string> => [...misspeltSettings(environment), ...shortKeys(settings)];
