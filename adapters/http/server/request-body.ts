import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';

const maxDiscardedBytes = 1_000_000;

const drainMs = 1_000;

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

/**
 * Discards the rest of a body, and resolves to true once all of it has arrived. Resolves to false after 1 MB or 1 s, at
 * the end of the connection, and if the client still waits for a 100 (Continue).
 */
export const drainBody = (request: IncomingMessage): Promise<boolean> => {
  if (request.headers.expect !== undefined && !request.readableDidRead) return Promise.resolve(false);
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      request.off('end', finish).off('close', finish).off('data', onData);
      resolve(request.complete);
    };
    const timer = setTimeout(finish, drainMs);
    let bytes = 0;
    const onData = ({ length }: Buffer): void => {
      bytes += length;
      if (bytes > maxDiscardedBytes) finish();
    };
    request.on('end', finish).on('close', finish).on('data', onData).resume();
  });
};
