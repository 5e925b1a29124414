import * as E from 'fp-ts/Either';
import { identity, pipe } from 'fp-ts/function';
import * as t from 'io-ts';
import { ApiKey, type FieldError, fieldErrors, type RateLimit } from '../../core';
import { DatabaseAddress, parseDatabaseAddress } from './database-address';
import { parseCorsOrigins } from './parse-cors-origins';

/** Decodes a text; what is not set, or empty, is the default. */
const setting = <A>(
  { name, is, validate }: Pick<t.Type<A>, 'name' | 'is' | 'validate'>,
  expected: string,
  defaultValue: A,
  parse: (text: string) => unknown = identity,
): t.Type<A, unknown> =>
  new t.Type<A, unknown, unknown>(
    name,
    is,
    (input, context) =>
      typeof input === 'string' && input !== ''
        ? pipe(
            validate(parse(input), context),
            E.orElse(() => t.failure(undefined, context, expected)),
          )
        : t.success(defaultValue),
    identity,
  );

const wholeNumber = <D extends number | undefined>(from: number, to: number, defaultValue: D) =>
  setting<number | D>(
    t.refinement(t.number, (value) => value >= from && value <= to),
    `a whole number from ${from} to ${to}`,
    defaultValue,
    (text) => (/^[0-9]{1,9}$/.test(text) ? Number(text) : undefined),
  );

const oneOf = <const A extends string>(names: ReadonlyArray<A>, defaultValue: A) =>
  setting<A>(
    t.refinement(t.string, (text): text is A => names.some((name) => name === text)),
    `one of ${names.join(', ')}`,
    defaultValue,
  );

/** By commas, and in a file by lines too, of which some may be empty. */
const splitKeys = (text: string): ReadonlyArray<string> => text.split(/,|\s*\n\s*/).map((key) => key.trim());

const parseRateLimit = (text: string): unknown => {
  const match = /^([1-9][0-9]{0,8})\/([1-9][0-9]{0,4})s$/.exec(text);
  return match && { requests: Number(match[1]), seconds: Number(match[2]) };
};

const codec = t.strict({
  /** 0 takes any free port. */
  PORT: wholeNumber(0, 65_535, 3000),
  HOST: setting(t.string, 'an address to listen on', '127.0.0.1'),
  /** Where metrics and health are without a key: not set, nowhere; 0 takes any free port. */
  ADMIN_PORT: wholeNumber(0, 65_535, undefined),
  ADMIN_HOST: setting(t.string, 'an address to listen on', '127.0.0.1'),
  DATABASE_URL: setting(
    DatabaseAddress,
    'sqlite:FILE, postgres://... or memory:',
    { _tag: 'Sqlite', filename: 'animal-store.sqlite3' },
    parseDatabaseAddress,
  ),
  API_KEYS: setting(
    t.readonlyArray(ApiKey),
    'keys separated by commas or lines, each of letters, digits and -._~+/',
    [],
    splitKeys,
  ),
  /** The origins whose pages may call the service; `*` is any, and none switches CORS off. */
  CORS_ORIGIN: setting(
    t.readonlyArray(t.string),
    'origins separated by commas, each scheme://host or scheme://host:port without a path, or * alone',
    [],
    parseCorsOrigins,
  ),
  LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info'),
  NODE_ENV: oneOf(['development', 'test', 'production'], 'development'),
  /** Requests worked on at once; the next wait for their turn. */
  MAX_IN_FLIGHT: wholeNumber(1, 100_000, 128),
  /** In milliseconds: how long a request may wait for its turn. */
  MAX_WAIT: wholeNumber(1, 60_000, 1_000),
  /** How many proxies stand in front: so many addresses of X-Forwarded-For, from its end, are theirs. */
  TRUST_PROXY: wholeNumber(0, 100, 0),
  /** In milliseconds, between the signal to stop and the last connection taken. */
  STOP_DELAY: wholeNumber(0, 600_000, 0),
  /** As in 100/60s: requests a key may make in so many seconds; not set, they are not counted. */
  RATE_LIMIT: setting<RateLimit | undefined>(
    t.type({ requests: t.number, seconds: t.number }),
    'REQUESTS/SECONDSs, as in 100/60s',
    undefined,
    parseRateLimit,
  ),
  POSTGRES_POOL_SIZE: wholeNumber(1, 1_000, 10),
  /** In milliseconds. */
  POSTGRES_STATEMENT_TIMEOUT: wholeNumber(1, 9_000, 3_000),
  /** Whether connections prepare statements: `auto` is where no pooler stands between. */
  POSTGRES_PREPARED_STATEMENTS: oneOf(['auto', 'always', 'never'], 'auto'),
});

/** Each by its name in the environment. */
export const settingNames = Object.keys(codec.type.props);

/** What the environment says, decoded once. Names are those of the environment. */
export type Settings = Readonly<t.TypeOf<typeof codec>>;

/** Decodes the settings, or names every bad one at once. An empty variable counts as not set. */
export const decodeSettings = (
  environment: NodeJS.ReadOnlyDict<string>,
): E.Either<ReadonlyArray<FieldError>, Settings> => pipe(codec.decode(environment), E.mapLeft(fieldErrors));
