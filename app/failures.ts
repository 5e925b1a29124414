import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import type { ApiKeyNotFound, ApiKeyRevoked, MigrationFailed, NotInitialized } from '../adapters/knex';
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
  | MigrationFailed
  | { readonly _tag: 'DatabaseLost' }
  | { readonly _tag: 'NoApiKey' }
  | { readonly _tag: 'NoDatabase'; readonly needsSqlite?: true }
  | NotInitialized
  | { readonly _tag: 'DriverMissing'; readonly driver: string; readonly reason: string }
  | { readonly _tag: 'UsePostgresTools'; readonly command: 'backup' | 'restore' }
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

const adviceByCode: ReadonlyArray<readonly [RegExp, string]> = [
  [/^ECONNREFUSED$/, 'start PostgreSQL there, or set the host and port in DATABASE_URL'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'the host name is unknown; set the host in DATABASE_URL'],
  [
    /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ECONNRESET)$/,
    'check that the network lets this machine reach the host and port in DATABASE_URL',
  ],
  [
    /^28/,
    'set the user and the password in DATABASE_URL, and check that pg_hba.conf of the server accepts them',
  ],
  [/^3D000$/, 'create that database, or set its name in DATABASE_URL'],
  [
    /^42501$/,
    'grant this role the rights that docs/postgresql.md lists; `animal-store doctor` prints those that `serve` lacks',
  ],
  [/^25006$/, 'set the host of the primary server in DATABASE_URL, or default_transaction_read_only to off'],
  [
    /^(55P03|57014)$/,
    'another session holds a lock, or the server is slow; look at pg_stat_activity, and try again',
  ],
  [/^2200H$/, 'raise the maximum of the sequence, or set its value to the largest id in table pets'],
  [/^(53300|53400)$/, 'raise max_connections of the server, or lower POSTGRES_POOL_SIZE'],
  [/^(53100|53200)$/, 'its disk or its memory is full; free space on the server'],
  [/^(57P03|57P01|57P02)$/, 'wait until the server has started, and try again'],
  [
    /CERT|SIGNATURE|ERR_TLS|ISSUER/,
    "set sslrootcert in DATABASE_URL to the file with the certificate of the authority that signed the server's certificate",
  ],
];

const adviceByMessage: ReadonlyArray<readonly [RegExp, string]> = [
  [/does not support SSL/, 'enable TLS in the server, or remove sslmode from DATABASE_URL'],
  [/password must be a string|no password/, 'put the password into DATABASE_URL'],
  [
    /another process's migration/,
    "wait until it has ended, or end its session, which pg_stat_activity shows as 'animal-store migration'",
  ],
  [
    /timeout|Timeout|timed out/,
    'check that the server answers, and that the network lets this machine reach it',
  ],
];

const codeAdvice = (cause: unknown): string | undefined => {
  const code = errorCode(cause) ?? '';
  return adviceByCode.find(([codes]) => codes.test(code))?.[1];
};

const postgresAdvice = (cause: unknown): string | undefined => {
  const { message } = E.toError(cause);
  return codeAdvice(cause) ?? adviceByMessage.find(([words]) => words.test(message))?.[1];
};

const general = 'check DATABASE_URL, and that this user may read and write there';

const adviceBySqliteError: ReadonlyArray<readonly [RegExp, string]> = [
  [/SQLITE_FULL|ENOSPC/, 'free space on the disk of the database'],
  [/SQLITE_IOERR/, 'check that the disk has free space and no errors'],
  [/SQLITE_BUSY/, 'wait until the process that writes to it has ended'],
];

const sqliteAdvice = (message: string): string | undefined =>
  adviceBySqliteError.find(([codes]) => codes.test(message))?.[1];

const databaseAdvice = (address: DatabaseAddress, cause: unknown): string | undefined => {
  if (errorCode(cause) === 'PERMANENT') return undefined;
  const { message } = E.toError(cause);
  if (/damaged|malformed/.test(message)) return 'restore a backup';
  if (message.includes('SQLITE_NOTADB'))
    return 'it is not a SQLite database; name another file in DATABASE_URL';
  const advice = sqliteAdvice(message);
  if (advice !== undefined) return advice;
  switch (address._tag) {
    case 'Sqlite':
      return fileAdvice(address.filename) ?? general;
    case 'Postgres':
      return postgresAdvice(cause) ?? general;
    case 'Memory':
      return general;
  }
};

const withAdvice = (reason: string, advice: string | undefined): string =>
  advice === undefined ? reason : `${reason}; ${advice}`;

const postgresCommand = (command: 'backup' | 'restore', database: string): string =>
  command === 'backup'
    ? `run \`pg_dump --format=custom --file=FILE '${database}'\``
    : `stop the service and run \`pg_restore --clean --if-exists --single-transaction --dbname='${database}' FILE\``;

export const failureText = (failure: CommandFailure, address: DatabaseAddress): string => {
  const database = databaseAddressText(address);
  switch (failure._tag) {
    case 'Unavailable': {
      const reason = `the database ${database} can't be used: ${E.toError(failure.cause).message}`;
      return withAdvice(reason, databaseAdvice(address, failure.cause));
    }
    case 'MigrationFailed':
      return withAdvice(
        `the database ${database} can't be migrated: ${failure.cause.message}`,
        codeAdvice(failure.cause),
      );
    case 'DatabaseLost':
      return 'the database file was removed, replaced or truncated while it was open; restart the service to use the file that is there now';
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
      return `\`${failure.command}\` works only with SQLite; for PostgreSQL, ${postgresCommand(failure.command, database)}`;
    case 'ApiKeyNotFound':
      return `no key has the id ${failure.id}; \`animal-store keys list\` shows the ids`;
    case 'ApiKeyRevoked':
      return `key ${failure.id} is revoked; issue a new one with \`animal-store keys create --name NAME\``;
    case 'CannotListen':
      return `can't listen: ${E.toError(failure.cause).message}; ${listenAdvice(failure.cause, failure.prefix)}`;
  }
};

export const reasonOf = (error: unknown, address: DatabaseAddress): string => {
  if (error instanceof CommandFailed) return failureText(error.failure, address);
  const { message } = E.toError(error);
  return withAdvice(message, message.startsWith('SQLITE_') ? sqliteAdvice(message) : undefined);
};
