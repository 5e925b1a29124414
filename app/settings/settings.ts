import * as E from 'fp-ts/Either';
import { identity, pipe } from 'fp-ts/function';
import * as t from 'io-ts';
import { isIPv6 } from 'node:net';
import { ApiKey, apiKeyPattern, type InvalidField, invalidFieldsOf, type RateLimit } from '../../core';
import { DatabaseUrl, databaseUrlText, parseDatabaseUrl } from './database-url';
import { valueOf } from './environment';
import { readSecret, secretSettings } from './secrets';

interface SettingOptions<A> {
  readonly type: Pick<t.Type<A>, 'name' | 'is'>;
  /** Text that describes a valid value. */
  readonly expected: string;
  readonly defaultValue: A;
  /** Writes the value for logs, so it must hide secrets. */
  readonly toText: (value: A) => string;
  /** May return an Error with a more precise text than `expected`. By default, the value is the text. */
  readonly parse?: (text: string) => unknown;
}

/**
 * Makes the codec of an environment variable, whose text is empty if it is not set. An error contains null in place of
 * the value, which may be a secret.
 */
const setting = <A>({
  type: { name, is },
  expected,
  defaultValue,
  toText,
  parse = identity,
}: SettingOptions<A>): t.Type<A, string> =>
  new t.Type<A, string, unknown>(
    name,
    is,
    (text, context) => {
      if (typeof text !== 'string' || text === '') return t.success(defaultValue);
      const value = parse(text);
      if (is(value)) return t.success(value);
      // `docker run --env-file` keeps the quotes that a shell removes.
      const hint = /^(["']).*\1$/s.test(text) ? ', without quotes around it' : '';
      return t.failure(null, context, `${value instanceof Error ? value.message : expected}${hint}`);
    },
    toText,
  );

const wholeNumber = <D extends number | undefined>(from: number, to: number, defaultValue: D, unit = '') =>
  setting<number | D>({
    type: t.refinement(t.number, (value) => value >= from && value <= to),
    expected: `a whole number${unit} from ${from} to ${to}`,
    defaultValue,
    toText: (value) => String(value ?? 'none'),
    parse: (text) => (/^[0-9]{1,9}$/.test(text) ? Number(text) : undefined),
  });

const oneOf = <const A extends string>(names: ReadonlyArray<A>, defaultValue: A) =>
  setting<A>({
    type: t.refinement(t.string, (text): text is A => names.some((name) => name === text)),
    expected: `one of ${names.join(', ')}`,
    defaultValue,
    toText: identity,
  });

/** Codec of an address to listen on. Accepts an IPv6 address also in brackets, as in URLs and the output of `ss`. */
const listenAddress = setting({
  type: t.string,
  expected: 'an address to listen on',
  defaultValue: '127.0.0.1',
  toText: identity,
  parse: (text) => {
    const [, inner = ''] = /^\[(.*)\]$/.exec(text) ?? [];
    return isIPv6(inner) ? inner : text;
  },
});

/** Splits a list at commas and line breaks, and returns each entry once. A line may end with a comma or be blank. */
const splitList = (text: string): ReadonlyArray<string> => {
  const lines = text.replaceAll(/\s+/g, (blanks) => (blanks.includes('\n') ? '\n' : blanks));
  const entries = lines.replace(/(?<=.),$/, '').split(/,\n?|\n/);
  return [...new Set(entries.map((entry) => entry.trim()))];
};

const parseRateLimit = (text: string): unknown => {
  const match = /^([1-9][0-9]{0,8})\/([1-9][0-9]{0,4})s$/.exec(text);
  return match && { requests: Number(match[1]), seconds: Number(match[2]) };
};

const originShape = /^[a-z][a-z0-9+.-]*:\/\/[^/\\?#@*\s]+$/i;

// Avoids `URL.canParse`, which on Node 20 may reject a host with letters such as `ü` once V8 has optimized it.
const toOrigin = (text: string): unknown => {
  if (!originShape.test(text)) return undefined;
  try {
    const { origin, protocol, host } = new URL(text);
    return origin === 'null' ? `${protocol}//${host.toLowerCase()}` : origin;
  } catch {
    return undefined;
  }
};

const parseCorsOrigins = (text: string): ReadonlyArray<unknown> =>
  text === '*' ? ['*'] : splitList(text).map(toOrigin);

/** File of the default DATABASE_URL, in the current folder. */
export const defaultFile = 'animal-store.sqlite3';

const codec = t.strict({
  PORT: wholeNumber(0, 65_535, 3000),
  HOST: listenAddress,
  ADMIN_PORT: wholeNumber(0, 65_535, undefined),
  ADMIN_HOST: listenAddress,
  DATABASE_URL: setting({
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
    type: t.readonlyArray(ApiKey),
    expected: `keys separated by commas or line breaks; a key may have only ${apiKeyPattern.expected}`,
    defaultValue: [],
    toText: ({ length }) => (length === 1 ? '1 key' : `${length} keys`),
    parse: splitList,
  }),
  CORS_ORIGIN: setting({
    type: t.readonlyArray(t.string),
    expected:
      '*, or a comma-separated list of origins without a path, such as https://example.com,http://localhost:8080',
    defaultValue: [],
    toText: (origins) => origins.join(','),
    parse: parseCorsOrigins,
  }),
  LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info'),
  NODE_ENV: oneOf(['development', 'test', 'production'], 'development'),
  MAX_CONNECTIONS: wholeNumber(1, 1_000_000, 10_000),
  TRUST_PROXY: wholeNumber(0, 100, 0),
  KEEP_ALIVE_SECONDS: wholeNumber(1, 3_600, 65, ' of seconds'),
  STOP_DELAY: wholeNumber(0, 600_000, 0, ' of milliseconds'),
  RATE_LIMIT: setting<RateLimit | undefined>({
    type: t.type({ requests: t.number, seconds: t.number }),
    expected: 'a number of requests per number of seconds, such as 100/60s',
    defaultValue: undefined,
    toText: (limit) => (limit ? `${limit.requests}/${limit.seconds}s` : 'none'),
    parse: parseRateLimit,
  }),
  IDEMPOTENCY_HOURS: wholeNumber(1, 168, 24, ' of hours'),
  POSTGRES_POOL_SIZE: wholeNumber(1, 1_000, 10),
});

export type Settings = Readonly<t.TypeOf<typeof codec>>;

/** Prefix in the names of a server's settings: empty for the public server, and `ADMIN_` for the admin server. */
export type ServerPrefix = '' | 'ADMIN_';

export const listenAddressOf = (settings: Settings, prefix: ServerPrefix) => ({
  host: settings[`${prefix}HOST` as const],
  port: settings[`${prefix}PORT` as const],
});

/** Reports whether NODE_ENV is `production`, without validating the other settings. */
export const isProduction = (environment: NodeJS.ReadOnlyDict<string>): boolean =>
  valueOf(environment, 'NODE_ENV') === 'production';

/**
 * Reports whether a start may create a missing store. Returns false in production, because a restarted service must not
 * replace a lost database with an empty one.
 */
export const mayCreateStore = ({ NODE_ENV }: Settings): boolean => NODE_ENV !== 'production';

export const settingNames = Object.keys(codec.type.props);

const portsDiffer = ({ PORT, ADMIN_PORT }: Settings): boolean => PORT === 0 || PORT !== ADMIN_PORT;

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

const withFileOfUrl = (file: string, settings: Settings): Settings =>
  file !== '' && settings.DATABASE_URL._tag === 'Postgres'
    ? { ...settings, DATABASE_URL: { ...settings.DATABASE_URL, file } }
    : settings;

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
