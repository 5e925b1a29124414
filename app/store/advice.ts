import * as E from 'fp-ts/Either';
import { errorCode } from '../error-code';
import type { DatabaseUrl } from '../settings/database-url';
import { fileAdvice } from './file';

type Advice = ReadonlyArray<readonly [code: RegExp, advice: string]>;

const grants =
  'grant this role its rights with the script that docs/postgresql.md names, with `--set=role=ROLE --set=schema=SCHEMA`';

const lockOfKnex: Advice[number] = [
  /Migration table is already locked/,
  'another process runs migrations with Knex; if none does, run `knex migrate:unlock`',
];

/** Advice for errors of PostgreSQL. The first pattern that matches the code and message of an error applies. */
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
  [
    /^42501 must be owner/,
    'run `migrate` of this version with the address of the role that owns the tables; docs/postgresql.md has the commands under "Upgrade"',
  ],
  [/^42501 .* for schema/, `run \`animal-store migrate\` as the owner of the database, and ${grants}`],
  [/^42501 /, grants],
  [/^25006 /, 'set the host of the primary server in DATABASE_URL, or default_transaction_read_only to off'],
  lockOfKnex,
  [
    /^(55P03|57014) /,
    'another session holds a lock, or the server is slow; look at pg_stat_activity, and try again',
  ],
  [
    /^2200H |^23505 .*"pets_pkey/,
    "run: select setval('pets_id_seq', (select max(id) from pets)); if no id is left, raise the maximum of the sequence",
  ],
  [/^(53300|53400) /, 'raise max_connections of the server, or lower POSTGRES_POOL_SIZE'],
  [/^(53100|53200) /, 'its disk or its memory is full; free space on the server'],
  [/^(57P03|57P01|57P02) /, 'wait until the server has started, and try again'],
  [/^CERT_HAS_EXPIRED/, "renew the certificate of the server, or correct this machine's clock"],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID/,
    'set the host in DATABASE_URL to a name in the certificate of the server, or get a certificate for this name',
  ],
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
  [/ENOSPC/, 'free space on the disk of the database'],
  [/SQLITE_FULL/, 'free space on the disk of the database; if it has space, run `animal-store doctor`'],
  [/SQLITE_IOERR/, 'check that the disk has free space and no errors'],
  [/SQLITE_BUSY/, 'wait until the process that writes to it has ended'],
];

export const messageOf = (cause: unknown): string => E.toError(cause).message.replaceAll(/\s+/g, ' ').trim();

/** Returns the advice that fits an error of the database, or undefined. */
export const specificAdvice = (url: DatabaseUrl, cause: unknown): string | undefined => {
  const code = errorCode(cause) ?? '';
  const text = `${code} ${messageOf(cause)}`;
  if (code === 'PERMANENT') return undefined;
  if (code === 'EMFILE') return 'raise the limit of open files, `ulimit -n`';
  const find = (advice: Advice) => advice.find(([pattern]) => pattern.test(text))?.[1];
  if (url._tag === 'Postgres') return find(postgresAdvice);
  if (url._tag === 'Memory') return undefined;
  return find(sqliteAdvice) ?? (text.includes('SQLITE_') ? fileAdvice(url.filename) : undefined);
};

export const generalAdvice = (url: DatabaseUrl): string =>
  (url._tag === 'Sqlite' ? fileAdvice(url.filename) : undefined) ??
  'check DATABASE_URL, that this user may read and write there, and the limit of open files (`ulimit -n`)';
