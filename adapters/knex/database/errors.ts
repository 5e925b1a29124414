import * as E from 'fp-ts/Either';
import type * as TE from 'fp-ts/TaskEither';
import { type Unavailable, unavailable } from '../../../core';

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';

/** Makes a function that reports whether the code of an error matches a regular expression. */
const hasCode =
  (codes: RegExp) =>
  (error: unknown): boolean =>
    codes.test(codeOf(error));

/**
 * True for a `permanentError`, or if the database rejected the statement itself. Other rows of a batch may then succeed
 * in separate statements. False if the server failed: SQLSTATE 08 (connection), 57P (shutdown), 53300 (too many
 * connections), 25006 (read-only server), and SQLite's I/O errors.
 */
export const isStatementError = hasCode(
  /^(?:PERMANENT|(?!08|57P|53300|25006)(?:\d[\dA-Z]|F0|HV|P0|XX)[\dA-Z]{3}|SQLITE_(?:ERROR|CONSTRAINT|MISMATCH|RANGE|TOOBIG|NOMEM))$/,
);

export const isPostgresLockTimeout = hasCode(/^55P03$/);

/** True for PostgreSQL's timeout of a lock (55P03) or of a statement (57014). */
export const isPostgresTimeout = hasCode(/^(?:55P03|57014)$/);

/** Message for a read-only server. The condition `acceptsWrites` makes a read fail with an error that quotes it. */
export const readOnlyServer = 'the server is read-only';

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const isRefusedRead = (error: unknown): boolean =>
  codeOf(error) === '22P02' && messageOf(error).endsWith(`"${readOnlyServer}"`);

/** True if a statement failed because the server is a standby, or because an administrator has made it read-only. */
export const isReadOnlyServer = (error: unknown): boolean =>
  codeOf(error) === '25006' || isRefusedRead(error);

export const readOnlyServerError = (): Error => errorWithCode('25006', readOnlyServer);

export const isSqliteBusy = hasCode(/^SQLITE_(?:BUSY|LOCKED)$/);

/**
 * True for a conflict with another transaction that a retry can resolve. The SQLSTATE is 40001 (serialization failure),
 * 40P01 (deadlock), 23505 (unique violation), 42P07 (duplicate table) or 42710 (duplicate object).
 */
export const isConflict = hasCode(/^(?:40001|40P01|23505|42P07|42710)$/);

export const isPossibleDuplicate = hasCode(/^(?:23505|SQLITE_CONSTRAINT)/);

export const isDamage = hasCode(/^SQLITE_(?:CORRUPT|NOTADB)$/);

/** True if the disk of a SQLite file or of a PostgreSQL server is full. */
export const isDiskFull = hasCode(/^(?:SQLITE_FULL|ENOSPC|53100)$/);

/** True if PostgreSQL rejects the role or its password. */
export const isLoginRejected = hasCode(/^28/);

export const errorWithCode = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code });

export const permanentError = (message: string): Error => errorWithCode('PERMANENT', message);

/**
 * Returns a copy of an error without the statement, whose values must not reach a log. Knex puts the statement and
 * ` - ` before the driver's message. Values may contain ` - ` too, so everything up to the last ` - ` is removed. An
 * error of `permanentError` stays as it is, because it may name a file with ` - `.
 */
export const withoutStatement = (error: unknown): Error => {
  if (error instanceof Error && codeOf(error) === 'PERMANENT') return error;
  if (isRefusedRead(error)) return readOnlyServerError();
  const words = messageOf(error).replace(/^.* - /s, '') || codeOf(error);
  return Object.assign(new Error(words), { code: codeOf(error) });
};

export const tryOrError = <A>(work: () => A): A | Error => {
  try {
    return work();
  } catch (error) {
    return withoutStatement(error);
  }
};

export const eitherToTaskEither =
  <F, A>(query: () => Promise<E.Either<F, A>>): TE.TaskEither<F | Unavailable, A> =>
  async () => {
    try {
      return await query();
    } catch (error) {
      return E.left(unavailable(withoutStatement(error)));
    }
  };

export const toTaskEither = <A>(query: () => Promise<A>): TE.TaskEither<Unavailable, A> =>
  eitherToTaskEither(async () => E.right(await query()));
