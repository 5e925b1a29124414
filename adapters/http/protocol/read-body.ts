import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';

/** The bytes of a body, which nobody has read yet. Rejects where they are more than `limit`, or break off. */
export const readBody = (message: IncomingMessage, limit: number): Promise<Buffer> =>
  getRawBody(message, { limit, length: message.headers['content-length'] ?? null });
