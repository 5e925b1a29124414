/** Returns the code of an exception of Node or of a database driver, such as ENOENT, or undefined. */
export const exceptionCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
