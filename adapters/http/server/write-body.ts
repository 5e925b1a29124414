import type { ServerResponse } from 'node:http';
import type { HttpResponse } from '../responses/http-response';
import type { Exchange } from './connection';

/** In bytes: a larger body is written piece by piece as its reader takes it, so that its progress can be seen. */
const pieceSize = 65_536;

/**
 * In milliseconds: once its last response has gone out, a connection is read on until its client has sent nothing for so
 * long, and for `total` at most, whatever it sends.
 */
const lingerTime = { silent: 1_000, total: 5_000 };

const writePieces = (response: ServerResponse, body: Buffer, from: number, end: () => void): void => {
  for (let at = from; at < body.length; at += pieceSize) {
    if (response.write(body.subarray(at, at + pieceSize))) continue;
    // The socket's own event: Node forgets to pass it on after a CONNECT.
    response.socket?.once('drain', () => {
      writePieces(response, body, at + pieceSize, end);
    });
    return;
  }
  end();
};

/** Ends a connection in the order of TCP: no more is written, what still comes is read for a while, then it is closed. */
const linger = (exchange: Exchange): void => {
  const { socket } = exchange.connection;
  // Until all has gone to the kernel the client is a reader, and may be a slow one.
  socket.end(() => {
    exchange.ended = performance.now();
    const close = (): void => void socket.destroy();
    socket.setTimeout(lingerTime.silent, close);
    const timer = setTimeout(close, lingerTime.total).unref();
    socket.once('close', () => {
      clearTimeout(timer);
    });
  });
};

/**
 * Writes the body of a response whose head is written, and ends the response. A client that may be sending still is
 * lingered for: a connection that is closed with bytes unread is reset, and the response lost.
 */
export const writeBody = (exchange: Exchange, body: HttpResponse['body'], lingers: boolean): void => {
  const { message, response } = exchange;
  const isWritten = body !== undefined && message.method !== 'HEAD';
  if (isWritten && body instanceof Buffer && body.length > pieceSize) {
    writePieces(response, body, 0, () => {
      if (lingers) linger(exchange);
      else response.end();
    });
  } else if (lingers) {
    if (isWritten) response.write(body);
    else response.flushHeaders();
    linger(exchange);
  } else {
    response.end(body);
  }
};
