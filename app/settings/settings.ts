import * as E from 'fp-ts/Either';
import { identity, pipe } from 'fp-ts/function';
import * as t from 'io-ts';
import { ApiKey, type FieldError, fieldErrors } from '../../core';
import { DatabaseAddress, parseDatabaseAddress } from './database-address';
import { parseCorsOrigins } from './parse-cors-origins';

const setting = <A>(
  codec: t.Type<A, unknown>,
  expected: string,
  defaultText: string,
  parse: (text: string) => unknown = identity,
): t.Type<A, unknown> =>
  new t.Type<A, unknown, unknown>(
    codec.name,
    codec.is,
    (input, context) =>
      pipe(
        codec.validate(parse(typeof input === 'string' && input !== '' ? input : defaultText), context),
        E.orElse(() => t.failure(undefined, context, expected)),
      ),
    identity,
  );

const numberFrom = (from: number, to: number) =>
  t.refinement(t.number, (value) => value >= from && value <= to);

const numberText = (from: number, to: number): string => `a whole number from ${from} to ${to}`;

const parseNumber = (text: string): number | undefined =>
  /^[0-9]{1,9}$/.test(text) ? Number(text) : undefined;

const wholeNumber = (from: number, to: number, defaultValue: number): t.Type<number, unknown> =>
  setting(numberFrom(from, to), numberText(from, to), String(defaultValue), parseNumber);

const optionalNumber = (from: number, to: number): t.Type<number | undefined, unknown> =>
  setting(t.union([t.undefined, numberFrom(from, to)]), numberText(from, to), '', (text) =>
    // Text that is no number is neither.
    text === '' ? undefined : (parseNumber(text) ?? text),
  );

const logLevels = {
  trace: null,
  debug: null,
  info: null,
  warn: null,
  error: null,
  fatal: null,
  silent: null,
};

const preparedStatements = { auto: null, always: null, never: null };

const modes = { development: null, test: null, production: null };

/** By commas, and in a file by lines too. */
const splitKeys = (text: string): ReadonlyArray<string> =>
  text === '' ? [] : text.split(/[,\n]/).map((key) => key.trim());

const parseRateLimit = (text: string): unknown => {
  if (text === '') return undefined;
  const match = /^([1-9][0-9]{0,8})\/([1-9][0-9]{0,4})s$/.exec(text);
  return match && { requests: Number(match[1]), seconds: Number(match[2]) };
};

const codec = t.strict({
  /** 0 takes any free port. */
  PORT: wholeNumber(0, 65_535, 3000),
  HOST: setting(t.string, 'an address to listen on', '127.0.0.1'),
  /** Where metrics and health are without a key: not set, nowhere; 0 takes any free port. */
  ADMIN_PORT: optionalNumber(0, 65_535),
  ADMIN_HOST: setting(t.string, 'an address to listen on', '127.0.0.1'),
  DATABASE_URL: setting(
    DatabaseAddress,
    'sqlite:FILE, postgres://... or memory:',
    'sqlite:animal-store.sqlite3',
    parseDatabaseAddress,
  ),
  API_KEYS: setting(
    t.readonlyArray(ApiKey),
    'keys separated by commas, each of letters, digits and -._~+/',
    '',
    splitKeys,
  ),
  /** The origins whose pages may call the service; `*` is any, and none switches CORS off. */
  CORS_ORIGIN: setting(
    t.readonlyArray(t.string),
    'origins separated by commas, each scheme://host or scheme://host:port without a path, or * alone',
    '',
    parseCorsOrigins,
  ),
  LOG_LEVEL: setting(t.keyof(logLevels), `one of ${Object.keys(logLevels).join(', ')}`, 'info'),
  NODE_ENV: setting(t.keyof(modes), `one of ${Object.keys(modes).join(', ')}`, 'development'),
  /** Requests worked on at once; the next wait for their turn. */
  MAX_IN_FLIGHT: wholeNumber(1, 100_000, 128),
  /** In milliseconds: how long a request may wait for its turn. */
  MAX_WAIT: wholeNumber(1, 60_000, 1_000),
  /** How many proxies stand in front: so many addresses of X-Forwarded-For, from its end, are theirs. */
  TRUST_PROXY: wholeNumber(0, 100, 0),
  /** In milliseconds, between the signal to stop and the last connection taken. */
  STOP_DELAY: wholeNumber(0, 600_000, 0),
  /** As in 100/60s: requests a key may make in so many seconds; not set, they are not counted. */
  RATE_LIMIT: setting(
    t.union([t.undefined, t.type({ requests: t.number, seconds: t.number })]),
    'REQUESTS/SECONDSs, as in 100/60s',
    '',
    parseRateLimit,
  ),
  POSTGRES_POOL_SIZE: wholeNumber(1, 1_000, 10),
  /** In milliseconds. */
  POSTGRES_STATEMENT_TIMEOUT: wholeNumber(1, 9_000, 3_000),
  /** Whether connections prepare statements: `auto` is where no pooler stands between. */
  POSTGRES_PREPARED_STATEMENTS: setting(
    t.keyof(preparedStatements),
    `one of ${Object.keys(preparedStatements).join(', ')}`,
    'auto',
  ),
});

/** Each by its name in the environment. */
export const settingNames = Object.keys(codec.type.props);

/** What the environment says, decoded once. Names are those of the environment. */
export type Settings = Readonly<t.TypeOf<typeof codec>>;

/** Decodes the settings, or names every bad one at once. An empty variable counts as not set. */
export const decodeSettings = (
  environment: Readonly<Record<string, string | undefined>>,
): E.Either<ReadonlyArray<FieldError>, Settings> => pipe(codec.decode(environment), E.mapLeft(fieldErrors));
