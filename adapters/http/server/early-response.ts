import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { serverTimeouts } from './timeouts';

const maxDiscardedBytes = 1_000_000;

/**
 * Discards what a client still sends, because closing a socket with unread bytes resets the connection, and the client
 * may lose the response. Stops after 1 MB. Until the connection closes, the client can still read the response.
 */
export const discard = (stream: Readable): void => {
  let bytes = 0;
  stream.on('data', ({ length }: Buffer) => {
    bytes += length;
    if (bytes > maxDiscardedBytes) stream.pause();
  });
  stream.resume();
};

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/** Sends 100 (Continue) once the listener reads the body, so that a client need not send a body that is rejected. */
export const continueOnceRead = (request: IncomingMessage, response: ServerResponse): void => {
  const onListener = (event: string | symbol): void => {
    if (event !== 'data' && event !== 'readable') return;
    request.off('newListener', onListener);
    if (!response.headersSent && !response.destroyed) response.writeContinue();
  };
  request.on('newListener', onListener);
};

const discardBody = (request: IncomingMessage, done: () => void): void => {
  const finish = (): void => {
    clearTimeout(timer);
    request.off('end', finish).off('close', finish);
    done();
  };
  const timer = setTimeout(finish, serverTimeouts.lingerMs);
  request.on('end', finish).on('close', finish);
  discard(request);
};

const toBuffer = (chunk: unknown, encoding: unknown): Uint8Array | undefined => {
  if (chunk instanceof Uint8Array) return chunk;
  if (typeof chunk !== 'string') return undefined;
  return Buffer.from(chunk, typeof encoding === 'string' && Buffer.isEncoding(encoding) ? encoding : 'utf8');
};

/**
 * Makes a response close its connection if it begins before the whole body of the request has arrived. Otherwise a
 * proxy might send its next request instead of the rest of the body. The response is sent at once, but ends only after
 * the rest of the body is discarded, because Node closes the socket at the end of the response. The functions are set
 * on the response itself, because Express replaces its prototype.
 */
export const closeIfEarly = (response: ServerResponse, onEarlyEnd: () => void): void => {
  const { req: request } = response;
  // eslint-disable-next-line @typescript-eslint/unbound-method -- `Reflect.apply` calls them with their response.
  const { writeHead, write, end } = response;
  let isEnding = false;

  const announceClose = (): void => {
    if (!request.complete && !response.headersSent) response.setHeader('Connection', 'close');
  };

  const endEarly = ([chunk, encoding, ...rest]: ReadonlyArray<unknown>): void => {
    isEnding = true;
    onEarlyEnd();
    const body = toBuffer(chunk, encoding);
    if (body === undefined) response.flushHeaders();
    else {
      if (!response.headersSent && !response.hasHeader('Transfer-Encoding')) {
        response.setHeader('Content-Length', body.length);
      }
      Reflect.apply(write, response, [body]);
    }
    const callback = [chunk, encoding, ...rest].find((argument) => typeof argument === 'function');
    discardBody(request, () => {
      Reflect.apply(end, response, callback === undefined ? [] : [callback]);
    });
  };

  Object.assign(response, {
    writeHead: (...args: ReadonlyArray<unknown>): unknown => {
      announceClose();
      return Reflect.apply(writeHead, response, args);
    },
    write: (...args: ReadonlyArray<unknown>): unknown => {
      announceClose();
      return Reflect.apply(write, response, args);
    },
    end: (...args: ReadonlyArray<unknown>): unknown => {
      announceClose();
      if (request.complete || response.writableEnded) return Reflect.apply(end, response, args);
      if (!isEnding) endEarly(args);
      return response;
    },
  });
};
