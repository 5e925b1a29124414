/**
 * Returns the code of an error of Node or of a database, such as ENOENT. failures.ts chooses its advice by this code,
 * and other files of the app test for it.
 */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined;
