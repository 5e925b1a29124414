import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { HttpFailure } from './http-failures';
import { rawAnswer } from './raw-answer';

/** How long the sender of a broken request may take to read its answer, in milliseconds. */
const lingering = 1_000;

const failureOf = (error: Error & { readonly code?: string }): HttpFailure => {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return { _tag: 'HeadersTooLarge' };
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { _tag: 'PayloadTooLarge' };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { _tag: 'RequestTimeout' };
    default:
      return { _tag: 'MalformedRequest', reason: 'the request is not valid HTTP/1.1' };
  }
};

const finish = (socket: Duplex, failure: HttpFailure): void => {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(rawAnswer(failure));
  socket.resume();
  setTimeout(() => socket.destroy(), lingering).unref();
};

/** Gives an Error body to what Node's parser refuses or gives up waiting for, and to CONNECT. */
export const answerProtocolErrors = (server: Server): void => {
  const latest = new Map<Duplex, ServerResponse>();
  server.on('connection', (socket) => {
    socket.once('close', () => latest.delete(socket));
  });
  const remember = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    latest.set(socket, response);
  };
  server.on('request', remember);
  server.on('checkContinue', remember);
  server.on('checkExpectation', remember);

  server.on('connect', (_request, socket: Duplex) => {
    finish(socket, { _tag: 'MethodNotAllowed', allowed: ['GET', 'HEAD', 'POST'] });
  });
  server.on('clientError', (error, socket) => {
    const pending = latest.get(socket);
    if (pending === undefined || pending.writableFinished) {
      finish(socket, failureOf(error));
    } else if (pending.req.complete) {
      // The broken request came behind one that is still being answered.
      pending.once('close', () => {
        finish(socket, failureOf(error));
      });
    } else if (pending.headersSent) {
      socket.destroy();
    } else {
      finish(socket, failureOf(error));
    }
  });
};
