import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import type { ApiKeyNotFound, ApiKeyRevoked, NotInitialized } from '../adapters/knex';
import type { Unavailable } from '../core';
import { fileAdvice } from './backend/database-file';
import { errorCode } from './error-code';
import { type DatabaseAddress, databaseAddressText } from './database-address';

/**
 * Failure of a command. The files of `commands/`, `backend/` and `serve/` throw it in a CommandFailed, and
 * commands/run.ts prints its text with `reasonOf`.
 */
export type CommandFailure =
  | Unavailable
  | { readonly _tag: 'DatabaseLost' }
  | { readonly _tag: 'NoApiKey' }
  | { readonly _tag: 'NoDatabase'; readonly needsSqlite?: true }
  | NotInitialized
  | { readonly _tag: 'DriverMissing'; readonly driver: string; readonly reason: string }
  | { readonly _tag: 'UsePostgresTools' }
  | ApiKeyNotFound
  | ApiKeyRevoked
  | { readonly _tag: 'CannotListen'; readonly cause: unknown; readonly prefix: '' | 'ADMIN_' };

export class CommandFailed extends Error {
  readonly failure: CommandFailure;

  constructor(failure: CommandFailure) {
    super(failure._tag);
    this.failure = failure;
  }
}

export const orFail = async <A>(operation: TaskEither<CommandFailure, A>): Promise<A> => {
  const result = await operation();
  if (E.isLeft(result)) throw new CommandFailed(result.left);
  return result.right;
};

const listenAdvice = (cause: unknown, prefix: string): string => {
  switch (errorCode(cause)) {
    case 'EACCES':
      return `this user may not use that port; set ${prefix}PORT to 1024 or more`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `this machine does not have that address; set ${prefix}HOST`;
    default:
      return `stop the process that listens there, or set ${prefix}PORT or ${prefix}HOST`;
  }
};

type Advice = ReadonlyArray<readonly [code: RegExp, advice: string]>;

const grants =
  'grant this role its rights with the script that docs/postgresql.md names, with `--set=role=ROLE --set=schema=SCHEMA`';

const lockOfKnex: Advice[number] = [
  /Migration table is already locked/,
  'another process runs migrations with Knex; if none does, run `knex migrate:unlock`',
];

/** Advice by the code and the message of an error. The first that matches applies. */
const postgresAdvice: Advice = [
  [/^ECONNREFUSED|^ENOENT connect/, 'start PostgreSQL there, or set the host and port in DATABASE_URL'],
  [/^(ENOTFOUND|EAI_AGAIN) /, 'the host name is unknown; set the host in DATABASE_URL'],
  [
    /^28|password must be a string|no password/,
    'set the user and the password in DATABASE_URL, and check that pg_hba.conf of the server accepts them',
  ],
  [/^3D000 /, 'create that database, or set its name in DATABASE_URL'],
  [
    /^3F000 /,
    `the search path names no schema that exists and that this role may use; create the schema, correct the search path of DATABASE_URL or of the role, or ${grants}`,
  ],
  [/^42501 .* for schema/, `run \`animal-store migrate\` as the owner of the database, and ${grants}`],
  [/^42501 /, grants],
  [/^25006 /, 'set the host of the primary server in DATABASE_URL, or default_transaction_read_only to off'],
  lockOfKnex,
  [
    /^(55P03|57014) /,
    'another session holds a lock, or the server is slow; look at pg_stat_activity, and try again',
  ],
  [/^2200H /, 'raise the maximum of the sequence, or set its value to the largest id in table pets'],
  [/^(53300|53400) /, 'raise max_connections of the server, or lower POSTGRES_POOL_SIZE'],
  [/^(53100|53200) /, 'its disk or its memory is full; free space on the server'],
  [/^(57P03|57P01|57P02) /, 'wait until the server has started, and try again'],
  [
    /^\S*(CERT|SIGNATURE|ERR_TLS|ISSUER)/,
    "set sslrootcert in DATABASE_URL to the file with the certificate of the authority that signed the server's certificate",
  ],
  [/does not support SSL|^EPROTO|^ERR_SSL/, 'enable TLS in the server, or remove sslmode from DATABASE_URL'],
  [
    /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ECONNRESET) |timeout|timed out/i,
    'check that the server answers, and that the network lets this machine reach the host and port in DATABASE_URL',
  ],
];

const sqliteAdvice: Advice = [
  lockOfKnex,
  [/SQLITE_CORRUPT/, 'restore a backup'],
  [/SQLITE_NOTADB/, 'it is not a SQLite database; name another file in DATABASE_URL'],
  [/ENOSPC|SQLITE_FULL/, 'free space on the disk of the database'],
  [/SQLITE_IOERR/, 'check that the disk has free space and no errors'],
  [/SQLITE_BUSY/, 'wait until the process that writes to it has ended'],
];

const messageOf = (cause: unknown): string => E.toError(cause).message.replaceAll(/\s+/g, ' ').trim();

/** Returns the advice that fits an error of the database, for the log of the service too. */
export const specificAdvice = (address: DatabaseAddress, cause: unknown): string | undefined => {
  const code = errorCode(cause) ?? '';
  const text = `${code} ${messageOf(cause)}`;
  if (code === 'PERMANENT') return undefined;
  if (code === 'EMFILE') return 'raise the limit of open files, `ulimit -n`';
  const find = (advice: Advice) => advice.find(([pattern]) => pattern.test(text))?.[1];
  if (address._tag === 'Postgres') return find(postgresAdvice);
  if (address._tag === 'Memory') return undefined;
  return find(sqliteAdvice) ?? (text.includes('SQLITE_') ? fileAdvice(address.filename) : undefined);
};

const generalAdvice = (address: DatabaseAddress): string =>
  (address._tag === 'Sqlite' ? fileAdvice(address.filename) : undefined) ??
  'check DATABASE_URL, that this user may read and write there, and the limit of open files (`ulimit -n`)';

const withAdvice = (reason: string, advice: string | undefined): string =>
  advice === undefined ? reason : `${reason}; ${advice}`;

export const failureText = (failure: CommandFailure, address: DatabaseAddress): string => {
  const database = databaseAddressText(address);
  switch (failure._tag) {
    case 'Unavailable': {
      const reason = `the database ${database} can't be used: ${messageOf(failure.cause)}`;
      const isPermanent = errorCode(failure.cause) === 'PERMANENT';
      return withAdvice(
        reason,
        specificAdvice(address, failure.cause) ?? (isPermanent ? undefined : generalAdvice(address)),
      );
    }
    case 'DatabaseLost':
      return 'the database file or its log was removed or replaced while it was open; restart the service to use the file that is there now';
    case 'NoApiKey':
      return address._tag === 'Memory'
        ? 'there is no valid API key; set API_KEYS'
        : 'there is no valid API key; set API_KEYS, or create a key with `animal-store keys create --name NAME`';
    case 'NoDatabase':
      return `this command needs a database, but DATABASE_URL is \`memory:\`; set it to sqlite:FILE${failure.needsSqlite ? '' : ' or postgres://...'}`;
    case 'NotInitialized':
      return `there is no animal store in ${database}; set DATABASE_URL to the right database, or create one with \`animal-store migrate\``;
    case 'DriverMissing':
      return `the database driver ${failure.driver} can't be loaded: ${failure.reason}; run \`npm rebuild ${failure.driver}\`, or \`npm install ${failure.driver}\` if it is not installed`;
    case 'UsePostgresTools':
      return '`restore` works only with SQLite; for PostgreSQL, see docs/postgresql.md';
    case 'ApiKeyNotFound':
      return `no key has the id ${failure.id}; \`animal-store keys list\` shows the ids`;
    case 'ApiKeyRevoked':
      return `key ${failure.id} is revoked; issue a new one with \`animal-store keys create --name NAME\``;
    case 'CannotListen':
      return `can't listen: ${messageOf(failure.cause)}; ${listenAdvice(failure.cause, failure.prefix)}`;
  }
};

export const reasonOf = (error: unknown, address: DatabaseAddress): string => {
  if (error instanceof CommandFailed) return failureText(error.failure, address);
  const message = messageOf(error);
  return withAdvice(message, message.startsWith('SQLITE_') ? specificAdvice(address, error) : undefined);
};
