import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as R from 'fp-ts/Record';
import { databaseAddressText } from './database-address-text';
import { decodeSettings, type Settings } from './settings';

const keyCount = ({ length }: Settings['API_KEYS']): string => (length === 1 ? '1 key' : `${length} keys`);

const showable = (settings: Settings): Readonly<Record<string, string>> =>
  pipe(
    { ...settings, DATABASE_URL: '', API_KEYS: '' },
    R.map((value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))),
    (texts) => ({
      ...texts,
      DATABASE_URL: databaseAddressText(settings.DATABASE_URL),
      API_KEYS: keyCount(settings.API_KEYS),
    }),
  );

const defaults = pipe(decodeSettings({}), E.map(showable));

/** The settings that are not default, as in `PORT=0`, for anyone to read: of keys it tells how many. */
export const changedSettings = (settings: Settings): ReadonlyArray<string> =>
  pipe(
    showable(settings),
    R.filterWithIndex((name, text) => E.isRight(defaults) && defaults.right[name] !== text),
    R.toEntries,
    (entries) => entries.map(([name, text]) => `${name}=${text}`),
  );
