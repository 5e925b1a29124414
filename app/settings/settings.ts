import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as t from 'io-ts';
import { ApiKey, apiKeyPattern, type InvalidField, invalidFieldsOf, type RateLimit } from '../../core';
import { DatabaseUrl, databaseUrlText, parseDatabaseUrl } from './database-url';
import { valueOf } from './environment';
import { readSecret, secretSettings } from './secrets';
import {
  listenAddress,
  oneOf,
  parseCorsOrigins,
  parseRateLimit,
  setting,
  splitList,
  wholeNumber,
} from './setting-codecs';

/** File of the default DATABASE_URL, in the current folder. */
export const defaultFile = 'animal-store.sqlite3';

const codec = t.strict({
  PORT: wholeNumber('port of the API; 0 lets the system choose', 0, 65_535, 3000),
  HOST: listenAddress('address of the API'),
  ADMIN_PORT: wholeNumber('port of /metrics, /livez and /readyz, which need no key', 0, 65_535, undefined),
  ADMIN_HOST: listenAddress('address of the admin port'),
  DATABASE_URL: setting({
    help: 'sqlite:FILE, postgres://... or memory:',
    type: DatabaseUrl,
    expected: 'an address',
    defaultValue: { _tag: 'Sqlite', filename: defaultFile },
    toText: databaseUrlText,
    parse: (text) =>
      pipe(
        parseDatabaseUrl(text),
        E.getOrElseW((expected) => new Error(expected)),
      ),
  }),
  API_KEYS: setting({
    help: 'comma-separated keys, instead of those in the database',
    type: t.readonlyArray(ApiKey),
    expected: `keys separated by commas or line breaks; a key may have only ${apiKeyPattern.expected}`,
    defaultValue: [],
    toText: ({ length }) => (length === 1 ? '1 key' : `${length} keys`),
    parse: splitList,
  }),
  CORS_ORIGIN: setting({
    help: 'comma-separated origins whose pages may call the API, or *',
    type: t.readonlyArray(t.string),
    expected:
      '*, or a comma-separated list of origins without a path, such as https://example.com,http://localhost:8080',
    defaultValue: [],
    toText: (origins) => origins.join(','),
    parse: parseCorsOrigins,
  }),
  LOG_LEVEL: oneOf(
    'trace, debug, info, warn, error, fatal or silent',
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    'info',
  ),
  NODE_ENV: oneOf(
    'production creates neither tables nor a key',
    ['development', 'test', 'production'],
    'development',
  ),
  MAX_CONNECTIONS: wholeNumber('maximum number of client connections', 1, 1_000_000, 10_000),
  TRUST_PROXY: wholeNumber('trusted proxies, which set X-Forwarded headers', 0, 100, 0),
  KEEP_ALIVE_SECONDS: wholeNumber(
    'seconds after which an idle connection is closed',
    1,
    3_600,
    65,
    ' of seconds',
  ),
  STOP_DELAY: wholeNumber(
    'milliseconds in which a stopping service accepts',
    0,
    600_000,
    0,
    ' of milliseconds',
  ),
  RATE_LIMIT: setting<RateLimit | undefined>({
    help: 'maximum requests of each owner of keys, such as 100/60s',
    type: t.type({ requests: t.number, seconds: t.number }),
    expected: 'a number of requests per number of seconds, such as 100/60s',
    defaultValue: undefined,
    toText: (limit) => (limit ? `${limit.requests}/${limit.seconds}s` : 'none'),
    parse: parseRateLimit,
  }),
  IDEMPOTENCY_HOURS: wholeNumber(
    'hours in which a create can be retried, at most 168',
    1,
    168,
    24,
    ' of hours',
  ),
  POSTGRES_POOL_SIZE: wholeNumber('connections to PostgreSQL', 1, 1_000, 10),
});

export type Settings = Readonly<t.TypeOf<typeof codec>>;

/**
 * Reads the settings from environment variables, and secrets also from the files that `API_KEYS_FILE` and
 * `DATABASE_URL_FILE` name.
 */
export const readSettings = (
  environment: NodeJS.ReadOnlyDict<string>,
): E.Either<ReadonlyArray<InvalidField>, Settings> =>
  pipe(
    secretSettings,
    E.traverseArray(readSecret(environment)),
    E.chain((secrets) => decodeSettings({ ...environment, ...Object.fromEntries(secrets) })),
    E.map((settings) => withFileOfUrl(valueOf(environment, 'DATABASE_URL_FILE'), settings)),
  );

export const decodeSettings = (
  environment: NodeJS.ReadOnlyDict<string>,
): E.Either<ReadonlyArray<InvalidField>, Settings> =>
  pipe(
    codec.decode(Object.fromEntries(settingNames.map((name) => [name, valueOf(environment, name)]))),
    E.mapLeft(invalidFieldsOf),
    E.filterOrElse(portsDiffer, (): ReadonlyArray<InvalidField> => [
      { name: 'ADMIN_PORT', rule: 'invalid', expected: 'another port than PORT' },
    ]),
  );

const portsDiffer = ({ PORT, ADMIN_PORT }: Settings): boolean => PORT === 0 || PORT !== ADMIN_PORT;

const withFileOfUrl = (file: string, settings: Settings): Settings =>
  file !== '' && settings.DATABASE_URL._tag === 'Postgres'
    ? { ...settings, DATABASE_URL: { ...settings.DATABASE_URL, file } }
    : settings;

export const settingNames = Object.keys(codec.type.props);

/** Meanings of the environment variables, by their names, for `serve --help`. */
export const settingTexts: Readonly<Record<string, string>> = Object.fromEntries([
  ...Object.entries(codec.type.props).map(([name, { help }]) => [name, help] as const),
  ...secretSettings.map((name) => [`${name}_FILE`, `file that holds the value of ${name}`] as const),
]);

/** Texts of the defaults, by the names of the settings. */
export const defaults: NodeJS.ReadOnlyDict<string> = pipe(
  decodeSettings({}),
  E.match(() => ({}), codec.encode),
);

export const changedSettings = (settings: Settings): ReadonlyArray<string> =>
  Object.entries(codec.encode(settings))
    .filter(([name, text]) => defaults[name] !== text)
    .map(([name, text]) => `${name}=${text}`)
    .toSorted();

/** Prefix in the names of a server's settings: empty for the public server, and `ADMIN_` for the admin server. */
export type ServerPrefix = '' | 'ADMIN_';

export const listenAddressOf = (settings: Settings, prefix: ServerPrefix) => ({
  host: settings[`${prefix}HOST` as const],
  port: settings[`${prefix}PORT` as const],
});

/**
 * Reports whether settings or environment variables are those of production. A start then creates no store and no key,
 * because a restarted service must not replace a lost database with an empty one.
 */
export const isProduction = ({ NODE_ENV }: { readonly NODE_ENV?: string | undefined }): boolean =>
  NODE_ENV?.trim() === 'production';

/** Returns where the valid API keys are. With keys in API_KEYS, the service ignores those in the database. */
export const keySourceOf = ({ API_KEYS }: Settings): 'API_KEYS' | 'database' =>
  API_KEYS.length > 0 ? 'API_KEYS' : 'database';
