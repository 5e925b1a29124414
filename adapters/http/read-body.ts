import * as E from 'fp-ts/Either';
import type { IncomingMessage } from 'node:http';
import type { HttpFailure } from './errors';

export const maxBodyBytes = 16_000;

const incomplete: HttpFailure = {
  _tag: 'MalformedRequest',
  reason: 'the request body is incomplete; send all bytes of its Content-Length, or its last chunk',
};

/**
 * Reads a body into one buffer. A list of chunks would take a hundred bytes for each chunk, and a client may send chunks
 * of one byte. handlers/create-pet.ts calls it.
 */
export const readBody = (request: IncomingMessage): Promise<E.Either<HttpFailure, Buffer>> => {
  if (request.readableDidRead || request.readableEncoding !== null) {
    const cause = new Error('mount the pet routes before the body parser: the body was already read');
    return Promise.resolve(E.left({ _tag: 'Defect', cause }));
  }
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) {
    return Promise.resolve(E.left({ _tag: 'PayloadTooLarge' }));
  }
  if (request.destroyed) return Promise.resolve(E.left(incomplete));
  return new Promise((resolve) => {
    let body: Buffer = Buffer.alloc(0);
    let length = 0;
    const settle = (result: E.Either<HttpFailure, Buffer>): void => {
      request.off('data', onData).off('end', onEnd).off('close', onAbort).off('error', onAbort);
      resolve(result);
    };
    const onData = (chunk: Buffer): void => {
      const end = length + chunk.length;
      if (end > maxBodyBytes) {
        request.pause();
        settle(E.left({ _tag: 'PayloadTooLarge' }));
        return;
      }
      if (length === 0) body = chunk;
      else if (end > body.length) {
        body = Buffer.concat([body], Math.max(2 * body.length, end));
      }
      if (length > 0) chunk.copy(body, length);
      length = end;
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
