import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { databaseAddressText } from './database-address';
import { decodeSettings, type Settings } from './settings';

const keyCount = ({ length }: Settings['API_KEYS']): string => (length === 1 ? '1 key' : `${length} keys`);

/** Texts without secrets. A new setting without a text does not compile. */
const texts = (settings: Settings): Readonly<Record<keyof Settings, string>> => ({
  PORT: String(settings.PORT),
  HOST: settings.HOST,
  ADMIN_PORT: settings.ADMIN_PORT === undefined ? 'none' : String(settings.ADMIN_PORT),
  ADMIN_HOST: settings.ADMIN_HOST,
  DATABASE_URL: databaseAddressText(settings.DATABASE_URL),
  API_KEYS: keyCount(settings.API_KEYS),
  CORS_ORIGIN: settings.CORS_ORIGIN.join(','),
  LOG_LEVEL: settings.LOG_LEVEL,
  NODE_ENV: settings.NODE_ENV,
  MAX_IN_FLIGHT: String(settings.MAX_IN_FLIGHT),
  MAX_WAIT: String(settings.MAX_WAIT),
  TRUST_PROXY: String(settings.TRUST_PROXY),
  STOP_DELAY: String(settings.STOP_DELAY),
  RATE_LIMIT: settings.RATE_LIMIT
    ? `${settings.RATE_LIMIT.requests}/${settings.RATE_LIMIT.seconds}s`
    : 'none',
  POSTGRES_POOL_SIZE: String(settings.POSTGRES_POOL_SIZE),
  POSTGRES_STATEMENT_TIMEOUT: String(settings.POSTGRES_STATEMENT_TIMEOUT),
  POSTGRES_PREPARED_STATEMENTS: settings.POSTGRES_PREPARED_STATEMENTS,
});

const defaults: NodeJS.ReadOnlyDict<string> = pipe(
  decodeSettings({}),
  E.match(() => ({}), texts),
);

export const changedSettings = (settings: Settings): ReadonlyArray<string> =>
  Object.entries(texts(settings))
    .filter(([name, text]) => defaults[name] !== text)
    .map(([name, text]) => `${name}=${text}`)
    .toSorted();
