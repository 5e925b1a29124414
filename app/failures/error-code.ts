/** What Node, a socket, TLS or a database calls an error, as in `ENOENT`; undefined where it has no such name. */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined;
