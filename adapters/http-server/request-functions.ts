import { IncomingMessage } from 'node:http';

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

const progressBytes = 4_096;

export interface BodyReading {
  readonly body: Promise<Buffer>;
  readonly heldBytes: () => number;
  readonly progressAt: () => number;
  readonly abort: () => void;
}

/**
 * Reads a body into one buffer, because a list of chunks costs hundreds of bytes for each chunk. `body` rejects with a
 * BodyError, whose `type` and `status` are those of the package raw-body. `progressAt` changes only every
 * `progressBytes`, so that single bytes cannot keep a request alive.
 */
export const startReading = (request: IncomingMessage, maxBytes: number): BodyReading => {
  let received: Buffer = Buffer.alloc(0);
  let length = 0;
  let progressLength = 0;
  let progressAt = performance.now();
  let abort = (): void => undefined;
  const body = new Promise<Buffer>((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
      reject(new BodyError('entity.too.large'));
      return;
    }
    if (request.destroyed || request.readableEnded) {
      reject(new BodyError('request.aborted'));
      return;
    }
    const settle = (): void => {
      request.off('data', onData).off('end', onEnd).off('close', abort).off('error', abort);
    };
    const onData = (chunk: Buffer): void => {
      if (length + chunk.length > maxBytes) {
        settle();
        request.pause();
        reject(new BodyError('entity.too.large'));
        return;
      }
      received = length === 0 ? chunk : append(received, length, chunk, maxBytes);
      length += chunk.length;
      if (length - progressLength >= progressBytes) {
        progressLength = length;
        progressAt = performance.now();
      }
    };
    const onEnd = (): void => {
      settle();
      resolve(received.subarray(0, length));
    };
    abort = () => {
      settle();
      received = Buffer.alloc(0);
      reject(new BodyError('request.aborted'));
    };
    request.on('data', onData).on('end', onEnd).on('close', abort).on('error', abort);
  });
  return { body, heldBytes: () => received.length, progressAt: () => progressAt, abort };
};

interface ExchangeFunctions {
  readonly arrivedAt: number;
  readonly deadline: number;
  readonly readBody: (maxBytes: number) => Promise<Buffer>;
}

/**
 * Request of this server. A private field has its Exchange of request-lifecycle.ts, and stays if a request listener
 * such as Express replaces the prototype. A WeakMap would keep each request in memory until the next full garbage
 * collection.
 */
export class ServedRequest extends IncomingMessage {
  #exchange: ExchangeFunctions | undefined;

  static exchangeOf(request: IncomingMessage): ExchangeFunctions | undefined {
    return #exchange in request ? request.#exchange : undefined;
  }

  attach(exchange: ExchangeFunctions): void {
    this.#exchange = exchange;
  }
}

/**
 * Returns the time in milliseconds, by `performance.now()`, until which a request must be answered: 4 s after its
 * arrival, plus the time to receive its body. Undefined for a request of another `http.Server`. app/serve/serve.ts
 * gives this function, `arrivedAt` and `readBody` to the Koa application.
 */
export const deadlineOf = (request: IncomingMessage): number | undefined =>
  ServedRequest.exchangeOf(request)?.deadline;

/**
 * Returns the time in milliseconds, by `performance.now()`, at which a request arrived. A pipelined request counts as
 * arrived when the earlier response of its connection has ended. Undefined for a request of another `http.Server`.
 */
export const arrivedAt = (request: IncomingMessage): number | undefined =>
  ServedRequest.exchangeOf(request)?.arrivedAt;

/**
 * Reads the body of a request of this server, or of another `http.Server`. While a request of this server waits for its
 * body, it does not count towards `maxInFlight`. Rejects if the body is longer than `maxBytes` or incomplete. The
 * `type` and `status` of the error are those of the package raw-body.
 */
export const readBody = (request: IncomingMessage, maxBytes: number): Promise<Buffer> =>
  ServedRequest.exchangeOf(request)?.readBody(maxBytes) ?? startReading(request, maxBytes).body;
