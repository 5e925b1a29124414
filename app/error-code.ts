/** Returns the `code` of an error of Node, TLS or a database driver, as in `ENOENT` or `42501`. */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined;
