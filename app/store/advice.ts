import * as E from 'fp-ts/Either';
import { type ErrorKind, errorKindOf, setSequenceAdvice } from '../../adapters/knex';
import type { DatabaseUrl } from '../settings/database-url';
import { fileAdvice } from './file-advice';

const grants =
  'grant this role its rights with the script that docs/postgresql.md names, with `--set=role=ROLE --set=schema=SCHEMA`';

const lockHolder =
  'another session holds a lock, or the server is slow; look at pg_stat_activity, and try again';

const noId = `${setSequenceAdvice}; if no id is left, raise the maximum of the sequence`;

/**
 * Advice for each kind of error. Undefined if the message says what to do, or if the kind does not tell the cause.
 * `fileAdvice` or `generalAdvice` may then find it.
 */
const advice: Readonly<Record<ErrorKind, string | undefined>> = {
  Permanent: undefined,
  TooManyFiles: 'raise the limit of open files, `ulimit -n`',
  ReadOnlyServer:
    'set the host of the primary server in DATABASE_URL, or default_transaction_read_only to off',
  IdTaken: noId,
  NoIdLeft: noId,
  Duplicate: undefined,
  Conflict: undefined,
  RowLocked: lockHolder,
  StatementTimeout: lockHolder,
  FileLocked: 'wait until the process that writes to it has ended',
  NotOwner:
    'run `migrate` of this version with the address of the role that owns the tables; docs/postgresql.md has the commands under "Upgrade"',
  RowSecurity:
    'row-level security would hide rows from this role; disable it on the tables of the store, or run: alter role ROLE bypassrls',
  NoRightOnSchema: `run \`animal-store migrate\` as the owner of the database, and ${grants}`,
  NoRight: `${grants}; only the owner of the tables may change more`,
  LoginRejected:
    'set the user and the password in DATABASE_URL, and check that pg_hba.conf of the server accepts them',
  NoDatabase: 'create that database, or set its name in DATABASE_URL',
  NoSchema: `the search path names no schema that exists and that this role may use; create the schema, correct the search path of DATABASE_URL or of the role, or ${grants}`,
  TooManySessions: 'raise max_connections of the server, or lower POSTGRES_POOL_SIZE',
  DiskFull: 'free space on the disk of the database',
  FileFull: 'free space on the disk of the database; if it has space, run `animal-store doctor`',
  OutOfMemory: 'its memory is full; free memory there',
  Damaged: 'restore a backup',
  NotSqlite: 'it is not a SQLite database; name another file in DATABASE_URL',
  DiskFailed: 'check that the disk has free space and no errors',
  ServerStarting: 'wait until the server has started, and try again',
  ConnectionRefused: 'start PostgreSQL there, or set the host and port in DATABASE_URL',
  UnknownHost: 'the host name is unknown; set the host in DATABASE_URL',
  CertificateExpired: "renew the certificate of the server, or correct this machine's clock",
  CertificateOfOtherName:
    'set the host in DATABASE_URL to a name in the certificate of the server, or get a certificate for this name',
  CertificateUntrusted:
    "set sslrootcert in DATABASE_URL to the file with the certificate of the authority that signed the server's certificate",
  NoTls: 'enable TLS in the server, or remove sslmode from DATABASE_URL',
  MigrationsLocked: 'another process runs migrations with Knex; if none does, run `knex migrate:unlock`',
  MissingObject: undefined,
  ColumnUsed:
    'if views, rules or policies use the tables of the store, drop them, migrate, and create them again',
  Rejected: undefined,
  FileRefused: undefined,
  NoAnswer:
    'check that the server answers, that the network lets this machine reach the host and port in DATABASE_URL, and that no standby is away that commits wait for; a change may have been made',
  Unknown: undefined,
};

/** Ending of the name of an unfinished file, which is renamed when it is complete. Messages leave the ending out. */
const partialEnding = /\.animal-store-[\da-f-]{36}\.partial$/;

/**
 * Returns the message of an error. For an error of a file, returns the name of the file and what is wrong, without
 * Node's jargon.
 */
export const messageOf = (cause: unknown): string => {
  const message = E.toError(cause).message.replaceAll(/\s+/g, ' ').trim();
  const [, reason, file] = /^E[A-Z]+: ([^,]+), \w+(?:.* '(.*)')?$/.exec(message) ?? [];
  if (reason === undefined) return message;
  return file === undefined ? reason : `${file.replace(partialEnding, '')}: ${reason}`;
};

/** Returns the advice that fits an error of the database, or undefined. */
export const specificAdvice = (url: DatabaseUrl, cause: unknown): string | undefined => {
  const kind = errorKindOf(cause);
  if (url._tag === 'Memory') return undefined;
  if (url._tag === 'Postgres') return advice[kind];
  if (kind === 'NoAnswer') return undefined;
  return kind === 'Rejected' || kind === 'MissingObject' || kind === 'FileRefused'
    ? fileAdvice(url.filename)
    : advice[kind];
};

export const generalAdvice = (url: DatabaseUrl): string =>
  (url._tag === 'Sqlite' ? fileAdvice(url.filename) : undefined) ??
  'check DATABASE_URL, that this user may read and write there, and the limit of open files (`ulimit -n`)';
