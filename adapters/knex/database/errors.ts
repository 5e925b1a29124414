/* Classifies the errors of databases and drivers by their codes and messages, and makes failures of them. */

import * as E from 'fp-ts/Either';
import type * as TE from 'fp-ts/TaskEither';
import { type Unavailable, unavailable } from '../../../core';
import { exceptionCode } from '../../failures/exception-code';

/** Returns the result of `query`, or Unavailable if it rejects. */
export const toTaskEither = <A>(query: () => Promise<A>): TE.TaskEither<Unavailable, A> =>
  eitherToTaskEither(async () => E.right(await query()));

export const eitherToTaskEither =
  <F, A>(query: () => Promise<E.Either<F, A>>): TE.TaskEither<F | Unavailable, A> =>
  async () => {
    try {
      return await query();
    } catch (error) {
      return failedBy(error);
    }
  };

/** Returns the result of `work`, or Unavailable if it throws. */
export const toEither = <A>(work: () => A): E.Either<Unavailable, A> =>
  E.tryCatch(work, (error) => unavailable(withoutStatement(error)));

export const failedBy = (error: unknown): E.Either<Unavailable, never> =>
  E.left(unavailable(withoutStatement(error)));

/** Error of a database or its driver, without the statement. `code` is empty if the driver gives none. */
export class DatabaseError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

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
 * Fault that this program finds itself, and that a retry can't resolve. The message may give advice on SQL or files. It
 * names no command or setting of the service, because `app` adds such advice for each kind.
 */
export class DiagnosedError extends DatabaseError {
  readonly kind: DiagnosedKind;

  constructor(message: string, kind: DiagnosedKind = 'Diagnosed') {
    super('PERMANENT', message);
    this.kind = kind;
  }
}

/**
 * Returns a copy of an error without the statement, whose values must not reach a log. Knex puts the statement and
 * ` - ` before the driver's message. Values may contain ` - ` too, so everything up to the last ` - ` is removed.
 */
export const withoutStatement = (error: unknown): DatabaseError => {
  if (error instanceof DatabaseError) return error;
  const code = exceptionCode(error) ?? '';
  const { message, stack = '' } = E.toError(error);
  if (code === '22P02' && quotedReadOnlyServer.test(message)) return readOnlyServerError();
  const ownMessage = message.replace(/^.* - /s, '') || code;
  const plain = new DatabaseError(
    code,
    isOfRowSecurity(error) ? `row-level security: ${ownMessage}` : ownMessage,
  );
  // Keeps only the calls, which follow the message in the stack, because the text before them may contain the
  // statement. Errors of SQLite have no calls.
  const end = stack.lastIndexOf(ownMessage);
  const calls = end < 0 ? '' : stack.slice(end + ownMessage.length);
  if (calls !== '') plain.stack = `${plain.name}: ${plain.message}${calls}`;
  return plain;
};

/**
 * Text that some queries cast to an integer on a read-only server, in order to fail. PostgreSQL's error quotes the
 * text, and so shows why the query failed.
 */
export const readOnlyServer = 'the server is read-only';

export const readOnlyServerError = (): DatabaseError => new DatabaseError('25006', readOnlyServer);

// Accepts any quotation marks, because those of PostgreSQL depend on the language of the server.
const quotedReadOnlyServer = new RegExp(`[^\\w\\s]\\s?${readOnlyServer}\\s?[^\\w\\s]$`, 'u');

/** Makes the error, with PostgreSQL's code, for tables in which row-level security would hide rows. */
export const rowSecurityError = (tables: ReadonlyArray<string>): DatabaseError =>
  new DatabaseError('42501', `row-level security is active on ${tables.join(', ')}`);

// C functions of PostgreSQL that raise the errors of row-level security. An error names its function in `routine`. Its
// text depends on the language of the server, so it can't be matched.
const rowSecurityRoutines = ['ExecWithCheckOptions', 'check_enable_rls'];

const isOfRowSecurity = (error: unknown): boolean =>
  error instanceof Error &&
  exceptionCode(error) === '42501' &&
  'routine' in error &&
  rowSecurityRoutines.some((routine) => routine === error.routine) &&
  !error.message.includes('row-level security');

export const isKind =
  (...wanted: ReadonlyArray<ErrorKind>) =>
  (error: unknown): boolean =>
    wanted.includes(errorKindOf(error));

export const errorKindOf = (error: unknown): ErrorKind => classify(error).kind;

/** True if the work failed because of another transaction. The database stored nothing, and a retry may succeed. */
export const isConflict = (error: unknown): boolean => classify(error).outcome === 'conflict';

/** True if the database refused the work and stored nothing. Calls that shared the work may succeed separately. */
export const isRejection = (error: unknown): boolean => {
  const { outcome } = classify(error);
  return outcome === 'conflict' || outcome === 'rejected';
};

/** True if the work may have been committed although it failed, so that a repetition could store it twice. */
export const mayBeCommitted = (error: unknown): boolean => classify(error).outcome === 'uncertain';

const classify = (error: unknown): { readonly kind: ErrorKind; readonly outcome?: Outcome } => {
  if (error instanceof DiagnosedError) return { kind: error.kind, outcome: 'rejected' };
  const { code, message } = withoutStatement(error);
  const [kind, , outcome] = kinds.find(([, pattern]) => pattern.test(`${code} ${message}`)) ?? ['Unknown'];
  return outcome === undefined ? { kind } : { kind, outcome };
};

export type ErrorKind = DiagnosedKind | (typeof kinds)[number][0];

/** Outcome of work that failed, as `isConflict`, `isRejection` and `mayBeCommitted` describe. */
type Outcome = 'conflict' | 'rejected' | 'uncertain';

/**
 * Kinds of errors, tried in this order. Each has a pattern for the code and the message, and the outcome of the failed
 * work, if known. See appendix A of PostgreSQL's documentation, and SQLite's "Result Codes".
 */
const kinds = [
  ['TooManyFiles', /^EMFILE /],
  ['ReadOnlyServer', /^25006 /],
  ['IdTaken', /^23505 .*\bpets_pkey/s, 'conflict'],
  ['NoIdLeft', /^2200H /, 'rejected'],
  /** Row that already exists, because another transaction was faster. */
  ['Duplicate', /^23505 |^SQLITE_CONSTRAINT .*UNIQUE constraint failed/s, 'conflict'],
  /** Table, index or other object that already exists. */
  ['ObjectExists', /^(42P07|42710) |^SQLITE_ERROR .*already exists/s, 'conflict'],
  /** Serialization failure or deadlock. */
  ['Conflict', /^(40001|40P01) /, 'conflict'],
  ['RowLocked', /^55P03 /, 'rejected'],
  ['StatementTimeout', /^57014 /, 'rejected'],
  ['FileLocked', /^SQLITE_(BUSY|LOCKED) /],
  ['RowSecurity', /^42501 .*row-level security/s, 'rejected'],
  ['NoRight', /^42501 /, 'rejected'],
  ['LoginRejected', /^28|password must be a string|no password/],
  ['NoDatabase', /^3D000 /],
  ['NoSchema', /^3F000 /],
  ['TooManySessions', /^(53300|53400) /],
  ['DiskFull', /^(53100|ENOSPC) /],
  /** SQLite uses the same code for a full disk and for a table in which no id is left. */
  ['FileFull', /^SQLITE_FULL /],
  ['OutOfMemory', /^(53200|SQLITE_NOMEM) /, 'rejected'],
  ['Damaged', /^SQLITE_CORRUPT /],
  /** Damaged page or index of a table. Statements on other rows may succeed. */
  ['Damaged', /^XX00[12] /, 'rejected'],
  ['NotSqlite', /^SQLITE_NOTADB /],
  ['DiskFailed', /^SQLITE_IOERR /, 'uncertain'],
  ['ServerStarting', /^57P0[123] /],
  ['ConnectionRefused', /^ECONNREFUSED|^ENOENT connect/],
  ['UnknownHost', /^(ENOTFOUND|EAI_AGAIN) /],
  ['CertificateExpired', /^CERT_HAS_EXPIRED/],
  ['CertificateOfOtherName', /^ERR_TLS_CERT_ALTNAME_INVALID/],
  ['CertificateUntrusted', /^\S*(CERT|SIGNATURE|ERR_TLS|ISSUER)/],
  ['NoTls', /does not support SSL|^EPROTO|^ERR_SSL/],
  /** Table, column or type that does not exist. */
  ['MissingObject', /^(42703|42704|42P01) |^SQLITE_ERROR .*no such (column|table)/s, 'rejected'],
  /** Change of a column that a view, a rule or a policy uses. */
  ['ColumnUsed', /^(0A000|2BP01) /, 'rejected'],
  ['MigrationsLocked', /Migration table is already locked/],
  /** Rejection of the statement itself. Statements with other rows may succeed. */
  [
    'Rejected',
    /^(?!08|57P)(\d[\dA-Z]|F0|HV|P0|XX)[\dA-Z]{3} |^SQLITE_(ERROR|CONSTRAINT|MISMATCH|RANGE|TOOBIG) /,
    'rejected',
  ],
  ['FileRefused', /SQLITE_/],
  [
    'NoAnswer',
    /^(08...|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ECONNRESET|EPIPE) |time(d )?out|terminated/i,
    'uncertain',
  ],
  ['Unknown', /^/],
] as const satisfies ReadonlyArray<readonly [kind: string, pattern: RegExp, outcome?: Outcome]>;
