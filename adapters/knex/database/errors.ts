import * as E from 'fp-ts/Either';
import type * as TE from 'fp-ts/TaskEither';
import { type Unavailable, unavailable } from '../../../core';

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';

const hasCode =
  (codes: RegExp) =>
  (error: unknown): boolean =>
    codes.test(codeOf(error));

/**
 * True if the database rejected the statement itself. Some rows of its batch may then succeed in separate statements.
 * False for SQLSTATE 08 (connection), 57P (shutdown) and 53300 (too many connections), and for SQLite's I/O errors.
 */
export const isStatementError = hasCode(
  /^(?:(?!08|57P|53300)(?:\d[\dA-Z]|F0|HV|P0|XX)[\dA-Z]{3}|SQLITE_(?:ERROR|CONSTRAINT|MISMATCH|RANGE|TOOBIG|NOMEM))$/,
);

export const isPostgresLockTimeout = hasCode(/^55P03$/);

export const isSqliteBusy = hasCode(/^SQLITE_(?:BUSY|LOCKED)$/);

/**
 * Reports a conflict with another transaction, which a retry resolves: SQLSTATE 40001 (serialization failure), 40P01
 * (deadlock), 23505 (unique violation), 42P07 and 42710 (duplicate table and object).
 */
export const isConflict = hasCode(/^(?:40001|40P01|23505|42P07|42710)$/);

export const isPossibleDuplicate = hasCode(/^(?:23505|SQLITE_CONSTRAINT)/);

export const isUnsupported = hasCode(/^0A000$/);

export const isUnsupportedStartupParameter = (error: unknown): boolean =>
  codeOf(error) === '08P01' && error instanceof Error && error.message.includes('startup parameter');

export const isDamage = hasCode(/^SQLITE_(?:CORRUPT|NOTADB)$/);

/** True if the disk failed. A full disk also causes this error, if SQLite can't create the index of the log. */
export const isIoError = hasCode(/^SQLITE_IOERR$/);

export const isDiskFull = hasCode(/^(?:SQLITE_FULL|ENOSPC)$/);

export const errorWithCode = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code });

export const permanentError = (message: string): Error => errorWithCode('PERMANENT', message);

/**
 * Reports an error that ends a migration, since a retry cannot fix it: one of `permanentError`, or of the SQLSTATE
 * classes 0A (feature), 22 (data), 23 (constraint), 3F (schema name) and 42 (syntax, rights). The codes of SQLite that
 * mean the same count too.
 */
export const isPermanent = hasCode(
  /^(?:PERMANENT|(?:0A|22|23|3F|42).{3}|SQLITE_(?:ERROR|CONSTRAINT|MISMATCH|RANGE|TOOBIG))$/,
);

export const fileReplaced = (): Error => new Error('the database file was removed, replaced or truncated');

/**
 * Returns an error with only the code and the driver's message. Knex puts the statement and ` - ` before that message.
 * The statement's values must not reach a log, and may contain ` - ` too.
 */
export const withoutStatement = (error: unknown): Error => {
  const message = error instanceof Error ? error.message : String(error);
  const words = message.replace(/^.* - /s, '') || codeOf(error);
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
