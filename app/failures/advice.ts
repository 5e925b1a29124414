import { DiagnosedError, type ErrorKind, errorKindOf, setSequenceAdvice } from '../../adapters/knex';
import type { DatabaseUrl } from '../settings/database-url';
import { fileAdvice, readOnlyAdvice } from './file-advice';

/** Returns the advice that fits an error of the database, or undefined. */
export const specificAdvice = (
  url: DatabaseUrl,
  cause: unknown,
  setting = 'DATABASE_URL',
): string | undefined => {
  const kind = errorKindOf(cause);
  const advice = adviceByKind(setting)[kind];
  if (url._tag === 'Postgres' || cause instanceof DiagnosedError) return advice;
  if (url._tag === 'Memory' || kind === 'NoAnswer') return undefined;
  return kind === 'Rejected' || kind === 'MissingObject' || kind === 'FileRefused'
    ? fileAdvice(url.filename)
    : advice;
};

export const generalAdvice = (url: DatabaseUrl, setting: string): string =>
  (url._tag === 'Sqlite' ? fileAdvice(url.filename) : undefined) ??
  `check ${setting}, that this user may read and write there, and the limit of open files (\`ulimit -n\`)`;

const grants =
  'grant this role its rights with the script that docs/postgresql.md names, with `--set=role=ROLE --set=schema=SCHEMA`';

const lockHolder =
  'another session holds a lock, or the server is slow; look at pg_stat_activity, and try again';

const noId = `${setSequenceAdvice}; if no id is left, raise the maximum of the sequence`;

/**
 * Returns advice for each kind of error. It is undefined if the message already says what to do, or if the cause can't
 * be told from the kind. `setting` is the setting or option that has the address.
 */
const adviceByKind = (setting: string): Readonly<Record<ErrorKind, string | undefined>> => ({
  Diagnosed: undefined,
  NewerGeneration: 'run that version, or restore a backup made before the migration',
  EarlierGeneration:
    'stop every instance of an earlier version, make a backup, then run `animal-store migrate`',
  OtherMigrations: `set ${setting} to the right database, run \`animal-store migrate\` on it, or copy with the version that made the tables`,
  MayNotMigrate:
    'run `migrate` of this version with the address of the role that owns the tables, or the database if it has none; docs/postgresql.md has the commands',
  UnexpectedValue: 'run `animal-store doctor`',
  BackupOfPostgres: 'restore it into PostgreSQL, or check it there: --check --into postgres://...',
  HasContents: '--replace keeps it in a file with another name',
  ReadOnlyFileSystem: readOnlyAdvice,
  TooManyFiles: 'raise the limit of open files, `ulimit -n`',
  ReadOnlyServer: `set the host of the primary server in ${setting}, or default_transaction_read_only to off`,
  IdTaken: noId,
  NoIdLeft: noId,
  Duplicate: undefined,
  ObjectExists: undefined,
  Conflict: undefined,
  RowLocked: lockHolder,
  StatementTimeout: lockHolder,
  FileLocked: 'wait until the process that writes to it has ended',
  RowSecurity:
    'row-level security would hide rows from this role; disable it on the tables of the store, or run: alter role ROLE bypassrls',
  NoRight: `to serve, ${grants}; for another command, set ${setting} to the address of a role that has the right, such as the owner of the tables`,
  LoginRejected: `set the user and the password in ${setting}, and check that pg_hba.conf of the server accepts them`,
  NoDatabase: `create that database, or set its name in ${setting}`,
  NoSchema: `the search path names no schema that exists and that this role may use; create the schema, correct the search path of ${setting} or of the role, or ${grants}`,
  TooManySessions: 'raise max_connections of the server, or lower POSTGRES_POOL_SIZE',
  DiskFull: 'free space on the disk of the database',
  FileFull: 'free space on the disk of the database; if it has space, run `animal-store doctor`',
  OutOfMemory: 'its memory is full; free memory there',
  Damaged: 'restore a backup',
  NotSqlite: `it is not a SQLite database; name another file in ${setting}`,
  DiskFailed: 'check that the disk has free space and no errors',
  ServerStarting: 'wait until the server has started, and try again',
  ConnectionRefused: `start PostgreSQL there, or set the host and port in ${setting}`,
  UnknownHost: `the host name is unknown; set the host in ${setting}`,
  CertificateExpired: "renew the certificate of the server, or correct this machine's clock",
  CertificateOfOtherName: `set the host in ${setting} to a name in the certificate of the server, or get a certificate for this name`,
  CertificateUntrusted: `set sslrootcert in ${setting} to the file with the certificate of the authority that signed the server's certificate`,
  NoTls: `enable TLS in the server, or remove sslmode from ${setting}`,
  MigrationsLocked: 'another process runs migrations with Knex; if none does, run `knex migrate:unlock`',
  MissingObject: undefined,
  ColumnUsed:
    'if views, rules or policies use the tables of the store, drop them, migrate, and create them again',
  Rejected: undefined,
  FileRefused: undefined,
  NoAnswer: `check that the server answers, that the network lets this machine reach the host and port in ${setting}, and that no standby is away that commits wait for`,
  Unknown: undefined,
});
