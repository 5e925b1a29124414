import type { IncomingMessage } from 'node:http';

/** A body that is too long or incomplete. `type` and `status` are those of the package raw-body. */
export class BodyError extends Error {
  override readonly name = 'BodyError';
  readonly type: 'entity.too.large' | 'request.aborted';
  readonly status: number;

  constructor(type: BodyError['type']) {
    super(type === 'entity.too.large' ? 'request body too large' : 'request aborted');
    this.type = type;
    this.status = type === 'entity.too.large' ? 413 : 400;
  }
}

const append = (buffer: Buffer, length: number, chunk: Buffer, maxBytes: number): Buffer => {
  const needed = length + chunk.length;
  if (needed <= buffer.length) {
    chunk.copy(buffer, length);
    return buffer;
  }
  const larger = Buffer.allocUnsafe(
    Math.min(Math.max(2 * buffer.length, needed), Math.max(maxBytes, needed)),
  );
  buffer.copy(larger, 0, 0, length);
  chunk.copy(larger, length);
  return larger;
};

/** Reads a body into one buffer, since a list of chunks costs hundreds of bytes for each. Rejects with a `BodyError`. */
export const collectBody = (request: IncomingMessage, maxBytes: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
      reject(new BodyError('entity.too.large'));
      return;
    }
    if (request.destroyed || request.readableEnded) {
      reject(new BodyError('request.aborted'));
      return;
    }
    let body: Buffer = Buffer.alloc(0);
    let length = 0;
    const settle = (): void => {
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
    };
    const onData = (chunk: Buffer): void => {
      if (length + chunk.length > maxBytes) {
        settle();
        request.pause();
        reject(new BodyError('entity.too.large'));
        return;
      }
      // A body of one chunk, as most are, needs no copy.
      body = length === 0 ? chunk : append(body, length, chunk, maxBytes);
      length += chunk.length;
    };
    const onEnd = (): void => {
      settle();
      resolve(body.subarray(0, length));
    };
    const onClose = (): void => {
      settle();
      reject(new BodyError('request.aborted'));
    };
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
