import { fileSettings } from './secret-files';
import { settingNames } from './settings';

const known: ReadonlyArray<string> = [...settingNames, ...fileSettings];

/** Whether two words differ in one letter: more, less, another, or two neighbours that changed places. */
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

/** Variables of an environment that look like a setting and are none, each with the setting that was meant. */
export const misspeltSettings = (environment: NodeJS.ReadOnlyDict<string>): ReadonlyArray<string> =>
  Object.keys(environment)
    .filter((name) => !known.includes(name) && (environment[name] ?? '') !== '')
    .flatMap((name) => {
      const meant = known.find((setting) => isOneEditApart(name.toUpperCase(), setting));
      return meant === undefined ? [] : [`${name} is no setting: is ${meant} meant?`];
    });
