const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';

// SQLSTATE classes 22 (data exception) and 23 (integrity constraint violation), and SQLite's result codes.
const aboutData = /^(?:22|23|SQLITE_(?:CONSTRAINT|MISMATCH|RANGE|TOOBIG))/;

// SQLSTATE 55P03 (lock not available).
const locked = /^55P03$/;

// SQLite's result codes for a file that another connection has.
const busy = /^SQLITE_(?:BUSY|LOCKED)$/;

// SQLSTATE 40001 (serialization failure), 40P01 (deadlock); 23505 (unique violation), 42P07 and 42710 (duplicate table
// and object): another process was first.
const conflict = /^(?:40001|40P01|23505|42P07|42710)$/;

// SQLSTATE 23505 (unique violation); SQLite's driver tells no constraint from another.
const duplicate = /^(?:23505|SQLITE_CONSTRAINT)/;

// SQLite's result codes for a file that it can make no sense of.
const damage = /^SQLITE_(?:CORRUPT|NOTADB|IOERR)/;

/** Whether what was asked for was refused, as against a database that can't answer. */
export const isAboutData = (error: unknown): boolean => aboutData.test(codeOf(error));

/** Whether another transaction held for too long what was asked for. */
export const isLocked = (error: unknown): boolean => locked.test(codeOf(error));

/** Whether another connection has a SQLite file. */
export const isBusy = (error: unknown): boolean => busy.test(codeOf(error));

/** Whether the same transaction, run again, would see what another one did meanwhile. */
export const isConflict = (error: unknown): boolean => conflict.test(codeOf(error));

/** Whether a row was refused that may be there already. */
export const isDuplicate = (error: unknown): boolean => duplicate.test(codeOf(error));

/** Whether an engine can't do what was asked in this form; another form may do (SQLSTATE 0A000). */
export const isUnsupported = (error: unknown): boolean => codeOf(error) === '0A000';

/** Whether a pooler refuses a connection for a setting that it brings (SQLSTATE 08P01). */
export const isUnsupportedStartupParameter = (error: unknown): boolean =>
  codeOf(error) === '08P01' && error instanceof Error && error.message.includes('startup parameter');

/** Whether the file behind a database is damaged. */
export const isDamage = (error: unknown): boolean => damage.test(codeOf(error));

const permanentCode = 'PERMANENT';

// SQLSTATE classes 0A (feature not supported), 22, 23, 3F (invalid schema name) and 42 (syntax error or access rule
// violation), and SQLite's result codes for a statement that it refuses.
const permanent = /^(?:PERMANENT|(?:0A|22|23|3F|42).{3}|SQLITE_(?:ERROR|CONSTRAINT|MISMATCH|RANGE|TOOBIG))$/;

/** An error of our own that another attempt does not mend; its message says what to do. */
export const permanentError = (message: string): Error =>
  Object.assign(new Error(message), { code: permanentCode });

/** Whether the same statement would be refused again, whenever it is tried. */
export const isPermanent = (error: unknown): boolean => permanent.test(codeOf(error));

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
