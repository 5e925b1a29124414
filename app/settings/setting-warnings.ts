import { fileSettings, settingNames, type Settings } from './settings';

const known: ReadonlyArray<string> = [...settingNames, ...fileSettings];

/** True if two words differ by one inserted, deleted, replaced or transposed letter. */
const isOneEditApart = (one: string, other: string): boolean => {
  const most = Math.max(one.length, other.length);
  let from = 0;
  while (from < most && one[from] === other[from]) from += 1;
  let behind = 0;
  while (behind < most - from && one.at(-1 - behind) === other.at(-1 - behind)) behind += 1;
  const [left, right] = [one, other].map((word) => word.slice(from, Math.max(from, word.length - behind)));
  if (left === undefined || right === undefined) return false;
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right.length === 2 && left === `${right.charAt(1)}${right.charAt(0)}`;
};

export const misspeltSettings = (environment: NodeJS.ReadOnlyDict<string>): ReadonlyArray<string> =>
  Object.keys(environment)
    .filter((name) => !known.includes(name) && (environment[name] ?? '') !== '')
    .flatMap((name) => {
      const meant = known.find((setting) => isOneEditApart(name.toUpperCase(), setting));
      return meant === undefined ? [] : [`unknown setting ${name}; did you mean ${meant}?`];
    });

/** Length of 128 random bits in base64. */
const minKeyLength = 22;

const shortKeys = ({ API_KEYS, NODE_ENV }: Settings): ReadonlyArray<string> => {
  const short = API_KEYS.filter(({ length }) => length < minKeyLength).length;
  return short === 0 || NODE_ENV !== 'production'
    ? []
    : [
        `${short} ${short === 1 ? 'key' : 'keys'} in API_KEYS can be guessed: use at least ${minKeyLength} random characters, as from \`openssl rand -base64 32\``,
      ];
};

export const settingWarnings = (
  environment: NodeJS.ReadOnlyDict<string>,
  settings: Settings,
): ReadonlyArray<string> => [...misspeltSettings(environment), ...shortKeys(settings)];
