import { accessSync, constants, existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { toError } from 'fp-ts/Either';
import { errorCode } from '../error-code';
import type { DatabaseAddress } from '../database-address';

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
  [/^(42501|25006)$/, 'grant this user the right to create tables and to write in that database'],
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
    /timeout|Timeout|timed out/,
    'check that the server answers, and that the network lets this machine reach it',
  ],
];

const postgresAdvice = (cause: unknown): string | undefined => {
  const code = errorCode(cause) ?? '';
  const { message } = toError(cause);
  const found =
    adviceByCode.find(([codes]) => codes.test(code)) ??
    adviceByMessage.find(([words]) => words.test(message));
  return found?.[1];
};

const general = 'check DATABASE_URL, and that this user may read and write there';

const codeOfFailed = (call: () => unknown): string | undefined => {
  try {
    call();
    return undefined;
  } catch (error) {
    return errorCode(error);
  }
};

const isPermitted = (path: string, mode: number): boolean =>
  codeOfFailed(() => {
    accessSync(path, mode);
  }) === undefined;

const readable = constants.R_OK | constants.W_OK;

const existingFileAdvice = (file: string): string | undefined => {
  const found = statSync(file);
  if (found.isDirectory()) return 'it is a folder; name a file in it';
  if (!found.isFile()) return 'it is not a regular file; name another file';
  return isPermitted(file, readable) ? undefined : 'let this user read and write it';
};

export const fileAdvice = (filename: string): string | undefined => {
  const file = resolve(filename);
  const folder = dirname(file);
  if (!existsSync(folder)) return `create the folder ${folder}`;
  if (!statSync(folder).isDirectory()) return `${folder} is a file; name a file in a folder`;
  // SQLite creates its write-ahead log in the folder of the database.
  if (!isPermitted(folder, constants.W_OK | constants.X_OK))
    return `let this user write in the folder ${folder}`;
  switch (codeOfFailed(() => statSync(file))) {
    case undefined:
      return existingFileAdvice(file);
    case 'ELOOP':
      return 'it is a symbolic link to itself; name a file';
    case 'ENAMETOOLONG':
      return 'its name is too long; name another file';
    default:
      // SQLite refuses a file if the name of its -journal would be too long.
      if (codeOfFailed(() => statSync(`${file}-journal`)) === 'ENAMETOOLONG')
        return 'its name is too long; name another file';
      return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
        ? fileAdvice(resolve(realpathSync(folder), readlinkSync(file)))
        : undefined;
  }
};

/** Returns what the operator can do, or undefined if the message of the cause already says it. */
export const databaseAdvice = (address: DatabaseAddress, cause: unknown): string | undefined => {
  if (errorCode(cause) === 'PERMANENT') return undefined;
  const { message } = toError(cause);
  if (/damaged|malformed/.test(message)) return 'restore a backup';
  if (message.includes('SQLITE_NOTADB'))
    return 'it is not a SQLite database; name another file in DATABASE_URL';
  if (/SQLITE_FULL|ENOSPC/.test(message)) return 'free space on the disk of the database';
  if (message.includes('SQLITE_BUSY')) return 'wait until the process that writes to it has ended';
  switch (address._tag) {
    case 'Sqlite':
      return fileAdvice(address.filename) ?? general;
    case 'Postgres':
      return postgresAdvice(cause) ?? general;
    case 'Memory':
      return general;
  }
};
