import * as E from 'fp-ts/Either';
import type { IncomingMessage } from 'node:http';
import type { HttpFailure } from './errors';

const maxBodyBytes = 16_000;

/**
 * Returns the body that a body parser of the host has left, as text or bytes. Returns undefined without one. A parser
 * decodes invalid UTF-8 to U+FFFD, so text with this character may differ from what the client sent.
 */
const parsedBody = (rawBody: unknown): E.Either<HttpFailure, Uint8Array> | undefined => {
  if (typeof rawBody !== 'string') return rawBody instanceof Uint8Array ? E.right(rawBody) : undefined;
  return rawBody.includes('\ufffd')
    ? E.left({ _tag: 'MalformedJson', reason: 'not valid UTF-8; send U+FFFD as \\ufffd' })
    : E.right(Buffer.from(rawBody));
};

const incomplete: HttpFailure = {
  _tag: 'MalformedRequest',
  reason: 'the request body is incomplete; send all bytes of its Content-Length, or its last chunk',
};

/** Reads a body into one buffer, because a list of one-byte chunks would take a hundred times their size. */
const readStream = (request: IncomingMessage): Promise<E.Either<HttpFailure, Buffer>> => {
  if (request.readableDidRead || request.readableEncoding !== null) {
    const cause = new Error('mount the pet routes before the body parser: the body was already read');
    return Promise.resolve(E.left({ _tag: 'Defect', cause }));
  }
  const announced = Number(request.headers['content-length'] ?? maxBodyBytes);
  if (announced > maxBodyBytes) return Promise.resolve(E.left({ _tag: 'PayloadTooLarge' }));
  if (request.destroyed) return Promise.resolve(E.left(incomplete));
  return new Promise((resolve) => {
    const body = Buffer.allocUnsafe(announced);
    let length = 0;
    const settle = (result: E.Either<HttpFailure, Buffer>): void => {
      request.off('data', onData).off('end', onEnd).off('close', onAbort).off('error', onAbort);
      resolve(result);
    };
    const onData = (chunk: Buffer): void => {
      if (length + chunk.length > body.length) {
        request.pause();
        settle(E.left({ _tag: 'PayloadTooLarge' }));
      } else length += chunk.copy(body, length);
    };
    const onEnd = (): void => {
      settle(E.right(body.subarray(0, length)));
    };
    const onAbort = (): void => {
      settle(E.left(incomplete));
    };
    request.on('data', onData).on('end', onEnd).on('close', onAbort).on('error', onAbort);
  });
};

/** Reads the body of a request, or takes it from a body parser of the host, which has left it in `rawBody`. */
export const readBody = async (
  request: IncomingMessage,
  rawBody: unknown,
): Promise<E.Either<HttpFailure, Uint8Array>> => {
  const body = parsedBody(rawBody) ?? (await readStream(request));
  return E.isRight(body) && body.right.length > maxBodyBytes ? E.left({ _tag: 'PayloadTooLarge' }) : body;
};
