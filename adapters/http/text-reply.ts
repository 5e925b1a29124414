import { createHash } from 'node:crypto';
import type { Headers, Reply } from './reply';

/** Content codings of compressed files, the best one first, with the endings of their names. */
export const codings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/**
 * Makes the reply with a text, which may contain the service's own address. It may be compressed if the client accepts
 * that.
 */
export type TextReply = (origin: string, accepts: (coding: string) => boolean) => Reply;

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
