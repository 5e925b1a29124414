import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';

/** Somebody has read the body before, as a body parser does. */
export class BodyWasRead extends Error {
  override readonly name = 'BodyWasRead';
}

/** The bytes of a body, which nobody has read yet. Rejects where they are more than `limit`, or break off. */
export const readBody = (message: IncomingMessage, limit: number): Promise<Buffer> =>
  getRawBody(message, { limit, length: message.headers['content-length'] ?? null });
