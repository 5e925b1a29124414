const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';

const hasCode =
  (codes: RegExp) =>
  (error: unknown): boolean =>
    codes.test(codeOf(error));

/**
 * Whether what was asked for was refused, as against a database that can't answer: SQLSTATE classes 22 (data exception)
 * and 23 (integrity constraint violation), and SQLite's result codes.
 */
export const isAboutData = hasCode(/^(?:22|23|SQLITE_(?:CONSTRAINT|MISMATCH|RANGE|TOOBIG))/);

/** Whether another transaction held for too long what was asked for: SQLSTATE 55P03 (lock not available). */
export const isLocked = hasCode(/^55P03$/);

/** Whether another connection has a SQLite file. */
export const isBusy = hasCode(/^SQLITE_(?:BUSY|LOCKED)$/);

/**
 * Whether the same transaction, run again, would see what another one did meanwhile: SQLSTATE 40001 (serialization
 * failure), 40P01 (deadlock), 23505 (unique violation), 42P07 and 42710 (duplicate table and object).
 */
export const isConflict = hasCode(/^(?:40001|40P01|23505|42P07|42710)$/);

/** Whether a row was refused that may be there already: SQLSTATE 23505; SQLite's driver tells no constraint from another. */
export const isDuplicate = hasCode(/^(?:23505|SQLITE_CONSTRAINT)/);

/** Whether an engine can't do what was asked in this form; another form may do (SQLSTATE 0A000). */
export const isUnsupported = hasCode(/^0A000$/);

/** Whether a pooler refuses a connection for a setting that it brings (SQLSTATE 08P01). */
export const isUnsupportedStartupParameter = (error: unknown): boolean =>
  codeOf(error) === '08P01' && error instanceof Error && error.message.includes('startup parameter');

/** Whether SQLite can make no sense of the file behind a database. */
export const isDamage = hasCode(/^SQLITE_(?:CORRUPT|NOTADB|IOERR)/);

/** An error of our own that another attempt does not mend; its message says what to do. */
export const permanentError = (message: string): Error =>
  Object.assign(new Error(message), { code: 'PERMANENT' });

/**
 * Whether the same statement would be refused again, whenever it is tried: SQLSTATE classes 0A (feature not supported),
 * 22, 23, 3F (invalid schema name) and 42 (syntax error or access rule violation), SQLite's result codes, and our own.
 */
export const isPermanent = hasCode(
  /^(?:PERMANENT|(?:0A|22|23|3F|42).{3}|SQLITE_(?:ERROR|CONSTRAINT|MISMATCH|RANGE|TOOBIG))$/,
);

/** What was written went to a file that nobody finds again. */
export const fileReplaced = (): Error => new Error('the database file was removed, replaced or cut off');

/**
 * An error in the driver's own words: knex puts the statement with its values before them, which no log may show, and
 * they stand in its stack as well.
 */
export const toError = (error: unknown): Error => {
  const message = error instanceof Error ? error.message : String(error);
  const words = message.slice(message.lastIndexOf(' - ') + 1).replace(/^- /, '') || codeOf(error);
  return Object.assign(new Error(words), { code: codeOf(error) });
};

/** What a function answers with, or what it throws. */
export const orError = <A>(work: () => A): A | Error => {
  try {
    return work();
  } catch (error) {
    return toError(error);
  }
};
