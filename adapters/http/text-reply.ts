import { createHash } from 'node:crypto';
import type { Headers, Reply } from './reply';

/** Makes the reply with a text, which may contain the service's own address. */
export type TextReply = (origin: string) => Reply;

/** Makes the reply with a text that a client may keep. A client that has the text already, by its ETag, gets a 304. */
export const textReply = (body: string | Buffer, contentType: string, headers: Headers = {}): Reply => ({
  status: 200,
  headers: {
    'Cache-Control': 'no-cache',
    ...headers,
    'Content-Type': contentType,
    ETag: `"${createHash('sha256').update(body).digest('base64url')}"`,
  },
  body,
});
