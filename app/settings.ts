import * as E from 'fp-ts/Either';
import { identity, pipe } from 'fp-ts/function';
import * as t from 'io-ts';
import { readFileSync } from 'node:fs';
import { ApiKey, type FieldError, fieldErrors, type RateLimit } from '../core';
import { databaseTimeouts } from '../adapters/knex';
import { errorCode } from './error-code';
import { DatabaseAddress, databaseAddressText, parseDatabaseAddress } from './database-address';

/**
 * Returns the codec of one environment variable. An empty variable counts as unset. An error contains null in place of
 * the value, which may be a secret. `toText` is for logs: it must hide secrets.
 */
const setting = <A>(
  { name, is }: Pick<t.Type<A>, 'name' | 'is'>,
  expected: string,
  defaultValue: A,
  toText: (value: A) => string,
  parse: (text: string) => unknown = identity,
): t.Type<A, string> =>
  new t.Type<A, string, unknown>(
    name,
    is,
    (input, context) => {
      if (typeof input !== 'string' || input === '') return t.success(defaultValue);
      const value = parse(input);
      return is(value) ? t.success(value) : t.failure(null, context, expected);
    },
    toText,
  );

const wholeNumber = <D extends number | undefined>(from: number, to: number, defaultValue: D, unit = '') =>
  setting<number | D>(
    t.refinement(t.number, (value) => value >= from && value <= to),
    `a whole number${unit} from ${from} to ${to}`,
    defaultValue,
    (value) => String(value ?? 'none'),
    (text) => (/^[0-9]{1,9}$/.test(text) ? Number(text) : undefined),
  );

const ofMilliseconds = ' of milliseconds';

const oneOf = <const A extends string>(names: ReadonlyArray<A>, defaultValue: A) =>
  setting<A>(
    t.refinement(t.string, (text): text is A => names.some((name) => name === text)),
    `one of ${names.join(', ')}`,
    defaultValue,
    identity,
  );

const listenAddress = setting(t.string, 'an address to listen on', '127.0.0.1', identity);

const splitKeys = (text: string): ReadonlyArray<string> =>
  text.split(/,\s*|\s*\n\s*/).map((key) => key.trim());

const parseRateLimit = (text: string): unknown => {
  const match = /^([1-9][0-9]{0,8})\/([1-9][0-9]{0,4})s$/.exec(text);
  return match && { requests: Number(match[1]), seconds: Number(match[2]) };
};

const originShape = /^[a-z][a-z0-9+.-]*:\/\/[^/\\?#@*\s]+$/i;

const toOrigin = (text: string): unknown => {
  if (!originShape.test(text) || !URL.canParse(text)) return undefined;
  const { origin, protocol, host } = new URL(text);
  return origin === 'null' ? `${protocol}//${host.toLowerCase()}` : origin;
};

const parseCorsOrigins = (text: string): ReadonlyArray<unknown> =>
  text === '*' ? ['*'] : text.split(',').map((origin) => toOrigin(origin.trim()));

const codec = t.strict({
  PORT: wholeNumber(0, 65_535, 3000),
  HOST: listenAddress,
  ADMIN_PORT: wholeNumber(0, 65_535, undefined),
  ADMIN_HOST: listenAddress,
  DATABASE_URL: setting(
    DatabaseAddress,
    'sqlite:FILE, memory: or postgres://USER:PASSWORD@HOST/DATABASE; percent-encode / ? # and @ in the password',
    { _tag: 'Sqlite', filename: 'animal-store.sqlite3' },
    databaseAddressText,
    parseDatabaseAddress,
  ),
  API_KEYS: setting(
    t.readonlyArray(ApiKey),
    'keys separated by commas or line breaks; a key may have letters, digits and -._~+/, and = only at its end',
    [],
    ({ length }) => (length === 1 ? '1 key' : `${length} keys`),
    splitKeys,
  ),
  CORS_ORIGIN: setting(
    t.readonlyArray(t.string),
    '*, or a comma-separated list of origins without a path, such as https://example.com,http://localhost:8080',
    [],
    (origins) => origins.join(','),
    parseCorsOrigins,
  ),
  LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info'),
  NODE_ENV: oneOf(['development', 'test', 'production'], 'development'),
  MAX_CONNECTIONS: wholeNumber(1, 1_000_000, 10_000),
  TRUST_PROXY: wholeNumber(0, 100, 0),
  STOP_DELAY: wholeNumber(0, 600_000, 0, ofMilliseconds),
  RATE_LIMIT: setting<RateLimit | undefined>(
    t.type({ requests: t.number, seconds: t.number }),
    'a number of requests per number of seconds, such as 100/60s',
    undefined,
    (limit) => (limit ? `${limit.requests}/${limit.seconds}s` : 'none'),
    parseRateLimit,
  ),
  POSTGRES_POOL_SIZE: wholeNumber(1, 1_000, 10),
  POSTGRES_STATEMENT_TIMEOUT: wholeNumber(
    1,
    databaseTimeouts.maxStatementMs,
    databaseTimeouts.statementMs,
    ofMilliseconds,
  ),
  POSTGRES_PREPARED_STATEMENTS: oneOf(['auto', 'always', 'never'], 'auto'),
});

export type Settings = Readonly<t.TypeOf<typeof codec>>;

export const settingNames = Object.keys(codec.type.props);

export const decodeSettings = (
  environment: NodeJS.ReadOnlyDict<string>,
): E.Either<ReadonlyArray<FieldError>, Settings> => pipe(codec.decode(environment), E.mapLeft(fieldErrors));

const defaults: NodeJS.ReadOnlyDict<string> = pipe(
  decodeSettings({}),
  E.match(() => ({}), codec.encode),
);

export const changedSettings = (settings: Settings): ReadonlyArray<string> =>
  Object.entries(codec.encode(settings))
    .filter(([name, text]) => defaults[name] !== text)
    .map(([name, text]) => `${name}=${text}`)
    .toSorted();

const secretSettings = ['API_KEYS', 'DATABASE_URL'] as const;

const fileSettingOf = (name: string): string => `${name}_FILE`;

const fileSettings: ReadonlyArray<string> = secretSettings.map(fileSettingOf);

const resolveSecret = (
  name: string,
  environment: NodeJS.ReadOnlyDict<string>,
): E.Either<FieldError, string | undefined> => {
  const field = fileSettingOf(name);
  const file = environment[field] ?? '';
  if (file === '') return E.right(environment[name]);
  if ((environment[name] ?? '') !== '') return E.left({ field, expected: `unset if ${name} is set` });
  try {
    // `trim` also removes a byte order mark, which some editors add.
    const text = readFileSync(file, 'utf8').trim();
    return text === '' ? E.left({ field, expected: 'a file that is not empty' }) : E.right(text);
  } catch (error) {
    const reason = errorCode(error) ?? String(error);
    return E.left({ field, expected: `a file that this user can read (${reason})` });
  }
};

/**
 * Reads the settings from environment variables, and secrets also from the files that `API_KEYS_FILE` and
 * `DATABASE_URL_FILE` name. commands/run.ts, doctor/doctor.ts and knexfile.ts call it.
 */
export const readSettings = (
  environment: NodeJS.ReadOnlyDict<string>,
): E.Either<ReadonlyArray<FieldError>, Settings> => {
  const secrets = secretSettings.map((name) => [name, resolveSecret(name, environment)] as const);
  const unread = secrets.flatMap(([, secret]) => (E.isLeft(secret) ? [secret.left] : []));
  const settings = decodeSettings({
    ...environment,
    ...Object.fromEntries(
      secrets.map(([name, secret]) => [name, E.isRight(secret) ? secret.right : undefined]),
    ),
  });
  if (E.isRight(settings)) return unread.length === 0 ? settings : E.left(unread);
  const named = settings.left.map(({ field, expected }) => {
    const file = fileSettingOf(field);
    const isInFile = fileSettings.includes(file) && (environment[file] ?? '') !== '';
    return { field: isInFile ? `the text in ${file}` : field, expected };
  });
  return E.left([...unread, ...named]);
};

const known: ReadonlyArray<string> = [...settingNames, ...fileSettings];

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

export const misspeltSettings = (environment: NodeJS.ReadOnlyDict<string>): ReadonlyArray<string> =>
  Object.keys(environment)
    .filter((name) => !known.includes(name) && (environment[name] ?? '') !== '')
    .flatMap((name) => {
      const meant = known.find((setting) => isOneEditApart(name.toUpperCase(), setting));
      return meant === undefined ? [] : [`unknown setting ${name}; did you mean ${meant}?`];
    });

const charactersOf128Bits = 22;

const shortKeys = ({ API_KEYS, NODE_ENV }: Settings): ReadonlyArray<string> => {
  const short = API_KEYS.filter(({ length }) => length < charactersOf128Bits).length;
  return short === 0 || NODE_ENV !== 'production'
    ? []
    : [
        `${short} ${short === 1 ? 'key' : 'keys'} in API_KEYS can be guessed; use at least ${charactersOf128Bits} random characters, as from \`openssl rand -base64 32\``,
      ];
};

/** True if the service creates an API key when none was ever issued. */
export const createsFirstKey = ({ API_KEYS, NODE_ENV }: Settings): boolean =>
  API_KEYS.length === 0 && NODE_ENV !== 'production';

export const settingWarnings = (
  environment: NodeJS.ReadOnlyDict<string>,
  settings: Settings,
): ReadonlyArray<string> => [...misspeltSettings(environment), ...shortKeys(settings)];
