import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { turnThrottle } from './admission';
import { beforeReading } from './node-internals';
import type { ErrorResponse } from './options';

export interface ResponseOwner {
  readonly beforeHead: () => void;
  readonly afterEnd: () => void;
  readonly closed: () => void;
}

/** Size of the pieces in which a larger body is written, so that the client's progress can be measured. */
const pieceBytes = 65_536;

const afterOthers = turnThrottle(16);

// eslint-disable-next-line @typescript-eslint/unbound-method -- Express replaces the prototype of each response, so `trackResponse` sets methods on the response itself that call these.
const { writeHead: nodeWriteHead, write: nodeWrite, end: nodeEnd } = ServerResponse.prototype;

export class ExchangeResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  owner: ResponseOwner | undefined = undefined;
  unreadBody: Buffer | undefined = undefined;
  isContinued = false;
}

function writeHead(this: ExchangeResponse, ...args: Parameters<ServerResponse['writeHead']>): unknown {
  if (!this.headersSent) this.owner?.beforeHead();
  return Reflect.apply(nodeWriteHead, this, args);
}

const writePieces = (response: ExchangeResponse, body: Buffer, from: number, end: () => void): void => {
  for (let at = from; at < body.length; at += pieceBytes) {
    if (response.destroyed) return;
    if (Reflect.apply(nodeWrite, response, [body.subarray(at, at + pieceBytes), 'latin1'])) continue;
    // Listens to the socket, because the response to a CONNECT emits no `drain`.
    response.socket?.once('drain', () => {
      afterOthers(() => {
        writePieces(response, body, at + pieceBytes, end);
      });
    });
    return;
  }
  end();
};

type EndArguments = [chunk?: unknown, encoding?: unknown, callback?: unknown];

const largeBody = (chunk: unknown, encoding: unknown): Buffer | undefined => {
  if (chunk instanceof Uint8Array) {
    if (chunk.length <= pieceBytes) return undefined;
    // Returns the same Buffer: the limit on unread responses counts a Buffer once, even if several responses share it.
    return Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
  }
  if (typeof chunk !== 'string' || chunk.length <= pieceBytes) return undefined;
  return Buffer.from(chunk, typeof encoding === 'string' && Buffer.isEncoding(encoding) ? encoding : 'utf8');
};

/**
 * Converts a small Buffer in the arguments of `end` to a latin1 string. Node writes a string together with the head,
 * but a Buffer separately.
 */
const joinable = (args: EndArguments): EndArguments => {
  const [chunk] = args;
  if (!Buffer.isBuffer(chunk) || chunk.length === 0) return args;
  return [chunk.toString('latin1'), 'latin1', args.findLast((argument) => typeof argument === 'function')];
};

function end(this: ExchangeResponse, ...args: EndArguments): unknown {
  const [chunk, encoding] = args;
  const body = this.req.method === 'HEAD' || this.writableEnded ? undefined : largeBody(chunk, encoding);
  if (body === undefined) Reflect.apply(nodeEnd, this, this.headersSent ? args : joinable(args));
  else {
    if (!this.headersSent) {
      if (!this.hasHeader('Content-Length') && !this.hasHeader('Transfer-Encoding')) {
        this.setHeader('Content-Length', body.length);
      }
      this.writeHead(this.statusCode);
    }
    const callback = args.findLast((argument) => typeof argument === 'function');
    this.unreadBody = body;
    writePieces(this, body, 0, () => {
      Reflect.apply(nodeEnd, this, callback === undefined ? [] : [callback]);
    });
    Object.assign(this, silent);
  }
  this.owner?.afterEnd();
  return this;
}

function ignore(this: ExchangeResponse): ExchangeResponse {
  return this;
}

const silent = {
  writeHead: ignore,
  setHeader: ignore,
  setHeaders: ignore,
  appendHeader: ignore,
  removeHeader: ignore,
  flushHeaders: ignore,
  addTrailers: ignore,
  writeContinue: ignore,
  writeEarlyHints: ignore,
  writeProcessing: ignore,
  write: () => true,
  end: ignore,
};

export const answerInstead = (response: ExchangeResponse, { status, headers, body }: ErrorResponse): void => {
  for (const name of response.getHeaderNames()) ServerResponse.prototype.removeHeader.call(response, name);
  Reflect.apply(writeHead, response, [status, { ...headers, 'Content-Length': Buffer.byteLength(body) }]);
  Reflect.apply(end, response, [body]);
  Object.assign(response, silent);
};

function closed(this: ExchangeResponse): void {
  // A write after the client has disconnected emits an `error` event. Without a listener, that event would end the
  // process.
  if (!this.writableFinished) this.on('error', ignore);
  this.unreadBody = undefined;
  this.owner?.closed();
}

const tracked = { writeHead, end };

/**
 * Reports the head, end and close of a response to its owner. The owner is the `Exchange` of request-lifecycle.ts,
 * which also calls the other functions of this file.
 */
export const trackResponse = (response: ExchangeResponse, owner: ResponseOwner): void => {
  response.owner = owner;
  Object.assign(response, tracked);
  response.on('close', closed);
};

export const continueOnceRead = (request: IncomingMessage, response: ExchangeResponse): void => {
  if (request.httpVersion !== '1.1') return;
  beforeReading(request, () => {
    if (response.headersSent || response.destroyed) return;
    response.isContinued = true;
    response.writeContinue();
  });
};

/**
 * Gives the socket to a response that Node has not created, such as the response to a CONNECT. Closes the connection
 * after the response.
 */
export const writeLastTo = (socket: Socket, response: ExchangeResponse): void => {
  response.assignSocket(socket);
  response.once('finish', () => {
    socket.destroySoon();
  });
};
