import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { ServedRequest } from './request-functions';

/*
 * Functions that rely on undocumented behaviour of Node, for the other files of this folder.
 * The tests in `test/adapters/http-server` fail if a release of Node changes this behaviour.
 */

export const allowHalfOpen = (server: Server): void => {
  Object.assign(server, { httpAllowHalfOpen: true });
};

/** Makes Node cache the client's address, because Node cannot read it after the client has disconnected. */
export const rememberRemoteAddress = (socket: Socket): string | undefined => socket.remoteAddress;

export interface Parser {
  readonly parse: (bytes: Buffer) => void;
  readonly finish: () => void;
}

/**
 * Detaches Node's HTTP parser from a socket, and returns the parser's functions. Node would parse a packet of up to 64
 * kB at once, and the 3,600 small requests in it would take 3.6 MB.
 */
export const takeParser = (socket: Socket): Parser => {
  const take = (event: 'data' | 'end') => {
    const listeners = socket.listeners(event);
    socket.removeAllListeners(event);
    return (...args: ReadonlyArray<Buffer>): void => {
      for (const listener of listeners) Reflect.apply(listener, socket, args);
    };
  };
  return { parse: take('data'), finish: take('end') };
};

/**
 * Calls `close` when Node would close a connection after its last response. `destroySoon` does what Node would have
 * done.
 */
export const onLastResponse = (socket: Socket, close: (destroySoon: () => void) => void): void => {
  const destroySoon = socket.destroySoon.bind(socket);
  socket.destroySoon = () => {
    close(destroySoon);
  };
};

export const unparsedRequest = (socket: Socket, method: string): ServedRequest => {
  const request = new ServedRequest(socket);
  request.method = method;
  request.complete = true;
  return request;
};

export interface ChunkedBody {
  readonly chunks: number;
  readonly bytes: number;
  readonly flush: () => boolean;
}

/**
 * Joins the chunks of a body before the request listener gets them. Each buffer costs hundreds of bytes, even if it
 * holds a single byte.
 */
export const joinChunks = (request: IncomingMessage): ChunkedBody => {
  const push = request.push.bind(request);
  let parsed: Array<Buffer> = [];
  const body = {
    chunks: 0,
    bytes: 0,
    flush: (): boolean => {
      const [first, ...others] = parsed;
      parsed = [];
      if (first === undefined) return true;
      return push(others.length === 0 ? first : Buffer.concat([first, ...others]));
    },
  };
  request.push = (chunk: unknown): boolean => {
    if (chunk instanceof Buffer) {
      body.chunks += 1;
      body.bytes += chunk.length;
      parsed.push(chunk);
      return true;
    }
    body.flush();
    return push(chunk);
  };
  return body;
};

/**
 * Calls `start` when the request listener first asks for the body. Node may call `_read` earlier, but then
 * `readableFlowing` is still null.
 */
export const beforeReading = (request: IncomingMessage, start: () => void): void => {
  const read = request._read.bind(request);
  request._read = (size) => {
    if (request.readableFlowing !== null) {
      request._read = read;
      start();
    }
    read(size);
  };
};
