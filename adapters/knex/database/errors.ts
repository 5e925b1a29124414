/* Classifies the errors of databases and drivers by their codes and messages. */

import { toError } from 'fp-ts/Either';
import { errorCode } from '../../files/error-code';

/**
 * Kinds of faults that this program finds itself. `Diagnosed` is the kind of a fault whose message needs no further
 * advice.
 */
type DiagnosedKind =
  | 'Diagnosed'
  | 'NewerGeneration'
  | 'EarlierGeneration'
  | 'OtherMigrations'
  | 'MayNotMigrate'
  | 'UnexpectedValue'
  | 'BackupOfPostgres'
  | 'HasContents'
  | 'ReadOnlyFileSystem';

/**
 * Fault that this program finds itself, and that a retry can't resolve. The message may give advice on SQL or files, but
 * names no command or setting of the service, because `app` adds such advice for each kind.
 */
export class DiagnosedError extends Error {
  readonly code = 'PERMANENT';
  readonly kind: DiagnosedKind;

  constructor(message: string, kind: DiagnosedKind = 'Diagnosed') {
    super(message);
    this.kind = kind;
  }
}

/**
 * Text that `acceptsWrites` casts to an integer on a read-only server. PostgreSQL's error quotes the text, which marks
 * the kind ReadOnlyServer.
 */
export const readOnlyServer = 'the server is read-only';

/** Reaction to work that failed and was rolled back: run it again, or run each call of its batch separately. */
type Reaction = 'retry' | 'separate' | 'none';

/**
 * Kinds of errors, tried in this order. Each has a pattern for the code and the message, and a reaction if the database
 * has rolled the work back. See appendix A of PostgreSQL's documentation, and SQLite's "Result Codes".
 */
const kinds = [
  ['TooManyFiles', /^EMFILE /],
  ['ReadOnlyServer', /^25006 /],
  ['IdTaken', /^23505 .*\bpets_pkey/s, 'retry'],
  ['NoIdLeft', /^2200H /, 'separate'],
  /** Row that already exists, because another transaction was faster. */
  ['Duplicate', /^23505 |^SQLITE_CONSTRAINT .*UNIQUE constraint failed/s, 'retry'],
  /** Table, index or other object that already exists. */
  ['ObjectExists', /^(42P07|42710) |^SQLITE_ERROR .*already exists/s, 'retry'],
  /** Serialization failure or deadlock. */
  ['Conflict', /^(40001|40P01) /, 'retry'],
  ['RowLocked', /^55P03 /, 'separate'],
  ['StatementTimeout', /^57014 /, 'separate'],
  ['FileLocked', /^SQLITE_(BUSY|LOCKED) /],
  ['RowSecurity', /^42501 .*row-level security/s, 'separate'],
  ['NoRight', /^42501 /, 'separate'],
  ['LoginRejected', /^28|password must be a string|no password/],
  ['NoDatabase', /^3D000 /],
  ['NoSchema', /^3F000 /],
  ['TooManySessions', /^(53300|53400) /],
  ['DiskFull', /^(53100|ENOSPC) /],
  /** SQLite uses the same code for a full disk and for a table in which no id is left. */
  ['FileFull', /^SQLITE_FULL /],
  ['OutOfMemory', /^(53200|SQLITE_NOMEM) /, 'separate'],
  ['Damaged', /^SQLITE_CORRUPT /],
  /** Damaged page or index of a table. Calls that use other rows may succeed separately. */
  ['Damaged', /^XX00[12] /, 'separate'],
  ['NotSqlite', /^SQLITE_NOTADB /],
  ['DiskFailed', /^SQLITE_IOERR /],
  ['ServerStarting', /^57P0[123] /],
  ['ConnectionRefused', /^ECONNREFUSED|^ENOENT connect/],
  ['UnknownHost', /^(ENOTFOUND|EAI_AGAIN) /],
  ['CertificateExpired', /^CERT_HAS_EXPIRED/],
  ['CertificateOfOtherName', /^ERR_TLS_CERT_ALTNAME_INVALID/],
  ['CertificateUntrusted', /^\S*(CERT|SIGNATURE|ERR_TLS|ISSUER)/],
  ['NoTls', /does not support SSL|^EPROTO|^ERR_SSL/],
  /** Table, column or type that does not exist. */
  ['MissingObject', /^(42703|42704|42P01) |^SQLITE_ERROR .*no such (column|table)/s, 'separate'],
  /** Change of a column that a view, a rule or a policy uses. */
  ['ColumnUsed', /^(0A000|2BP01) /, 'separate'],
  ['MigrationsLocked', /Migration table is already locked/],
  /** Rejection of the statement itself. Calls with other rows may succeed separately. */
  [
    'Rejected',
    /^(?!08|57P)(\d[\dA-Z]|F0|HV|P0|XX)[\dA-Z]{3} |^SQLITE_(ERROR|CONSTRAINT|MISMATCH|RANGE|TOOBIG) /,
    'separate',
  ],
  ['FileRefused', /SQLITE_/],
  ['NoAnswer', /^(08...|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ECONNRESET|EPIPE) |time(d )?out|terminated/i],
  ['Unknown', /^/],
] as const satisfies ReadonlyArray<readonly [kind: string, pattern: RegExp, reaction?: Reaction]>;

export type ErrorKind = DiagnosedKind | (typeof kinds)[number][0];

const classify = (error: unknown): { readonly kind: ErrorKind; readonly reaction: Reaction } => {
  if (error instanceof DiagnosedError) return { kind: error.kind, reaction: 'separate' };
  const plain = withoutStatement(error);
  const text = `${errorCode(plain) ?? ''} ${plain.message}`;
  const [kind, , reaction = 'none'] = kinds.find(([, pattern]) => pattern.test(text)) ?? ['Unknown'];
  return { kind, reaction };
};

export const errorKindOf = (error: unknown): ErrorKind => classify(error).kind;

export const reactionTo = (error: unknown): Reaction => classify(error).reaction;

export const isKind =
  (...wanted: ReadonlyArray<ErrorKind>) =>
  (error: unknown): boolean =>
    wanted.includes(errorKindOf(error));

export const errorWithCode = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code });

/** Makes the error, with PostgreSQL's code, for tables in which row-level security would hide rows. */
export const rowSecurityError = (tables: ReadonlyArray<string>): Error =>
  errorWithCode('42501', `row-level security is active on ${tables.join(', ')}`);

export const readOnlyServerError = (): Error => errorWithCode('25006', readOnlyServer);

// PostgreSQL's quotation marks depend on the language of the server.
const quotedReadOnlyServer = new RegExp(`[^\\w\\s]\\s?${readOnlyServer}\\s?[^\\w\\s]$`, 'u');

/** C functions of PostgreSQL that raise errors of row-level security. The messages depend on the language. */
const rowSecurityRoutines = ['ExecWithCheckOptions', 'check_enable_rls'];

const isOfRowSecurity = (error: unknown): boolean =>
  error instanceof Error &&
  errorCode(error) === '42501' &&
  'routine' in error &&
  rowSecurityRoutines.some((routine) => routine === error.routine) &&
  !error.message.includes('row-level security');

/**
 * Returns a copy of an error without the statement, whose values must not reach a log. Knex puts the statement and
 * ` - ` before the driver's message. Values may contain ` - ` too, so everything up to the last ` - ` is removed. A
 * DiagnosedError stays as it is, because it may name a file with ` - `.
 */
export const withoutStatement = (error: unknown): Error => {
  if (error instanceof DiagnosedError) return error;
  const code = errorCode(error) ?? '';
  const { message } = toError(error);
  if (code === '22P02' && quotedReadOnlyServer.test(message)) return readOnlyServerError();
  const ownMessage = message.replace(/^.* - /s, '') || code;
  return errorWithCode(code, isOfRowSecurity(error) ? `row-level security: ${ownMessage}` : ownMessage);
};
