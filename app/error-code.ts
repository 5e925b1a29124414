/** Returns the code of an error of Node or a database, such as ENOENT. failures.ts chooses its advice by it. */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined;
