import { createHash } from 'node:crypto';
import type { Headers, Reply } from './reply';

/** Content codings of compressed files, best first, with the endings of the file names. */
export const codings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/**
 * Makes the reply with a text. `origin` is the address of the service, which the text may contain. `accepts` tells
 * whether the client accepts a coding.
 */
export type TextReply = (origin: string, accepts: (coding: string) => boolean) => Reply;

/** Makes a reply with a text that clients may cache. A client whose ETag matches gets a 304. */
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
