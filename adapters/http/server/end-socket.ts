import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { requestLimits } from '../message/limits';
import type { ErrorResponse } from './rejection';
import { serverTimeouts } from './timeouts';

/**
 * Ends a socket after its last response, and discards up to `discardedBytes` that the client still sends. With `lingers`,
 * closes the socket only after `lingerMs`, because unread bytes would reset the connection, and the client could lose
 * the response.
 */
export const endSocket = (socket: Socket, lingers: boolean): void => {
  let discardedBytes = 0;
  socket.on('data', ({ length }: Buffer) => {
    discardedBytes += length;
    if (discardedBytes > requestLimits.discardedBytes) socket.pause();
  });
  socket.end(() => {
    if (!lingers) socket.destroy();
  });
  if (!lingers) return;
  socket.resume();
  setTimeout(() => socket.destroy(), serverTimeouts.lingerMs).unref();
};

/** Returns the text of a response that closes its connection. */
export const errorText = ({ status, headers, body }: ErrorResponse, isHead: boolean): string => {
  const allHeaders = {
    ...headers,
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
    Date: new Date().toUTCString(),
  };
  const lines = Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${isHead ? '' : body}`;
};
