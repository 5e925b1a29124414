import { misspeltSettings } from './misspelt-settings';
import type { Settings } from './settings';

/** In characters: those of 128 random bits in base64. */
const leastKeyLength = 22;

const shortKeys = ({ API_KEYS, NODE_ENV }: Settings): ReadonlyArray<string> => {
  const short = API_KEYS.filter(({ length }) => length < leastKeyLength).length;
  return short === 0 || NODE_ENV !== 'production'
    ? []
    : [
        `${short} of the keys of API_KEYS can be guessed: take ${leastKeyLength} random characters or more, as of \`openssl rand -base64 32\``,
      ];
};

/** What of the settings an operator should look at again, though a start goes on. No value is in it. */
export const settingWarnings = (
  environment: NodeJS.ReadOnlyDict<string>,
  settings: Settings,
): ReadonlyArray<string> => [...misspeltSettings(environment), ...shortKeys(settings)];
