import type { IncomingMessage, ServerResponse } from 'node:http';
import { crossOriginHeaders } from '../protocol/cross-origin';
import { deprecationHeaders, isDeprecated } from '../protocol/deprecation';
import type { Headers } from '../protocol/headers';
import { securityHeaders } from '../protocol/security-headers';
import { type HttpResponse, jsonType } from '../responses/http-response';

/** In bytes: a larger body is written piece by piece as its reader takes it, so that its progress can be seen. */
const pieceSize = 65_536;

/** In milliseconds: after its last response a connection is read on until its client has sent nothing for so long. */
const lingerTime = 1_000;

/** Where a response is written. */
interface Target {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** Whether the connection ends with it. */
  readonly closes: boolean;
  /** Whether its client may be sending still: a connection that is closed with bytes unread is reset, and the response lost. */
  readonly lingers: boolean;
}

export type ResponseWriter = (target: Target, response: HttpResponse) => void;

const none: Headers = {};
const connection: Headers = { Connection: 'close' };

const append = (head: Array<string>, headers: Headers, except: Headers = none): void => {
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && !(name in except)) head.push(name, value);
  }
};

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
const linger = (response: ServerResponse) => (): void => {
  const { socket } = response;
  if (socket === null) return;
  socket.end();
  socket.setTimeout(lingerTime, () => socket.destroy());
};

const writeBody = ({ message, response, lingers }: Target, body: HttpResponse['body']): void => {
  const end = lingers ? linger(response) : (): void => void response.end();
  if (body instanceof Buffer && body.length > pieceSize && message.method !== 'HEAD') {
    writePieces(response, body, 0, end);
  } else if (lingers) {
    if (body === undefined || message.method === 'HEAD') response.flushHeaders();
    else response.write(body);
    end();
  } else {
    response.end(body);
  }
};

/**
 * Makes the one writer of all responses, of those too that no route sees. Head and small bodies go out at once: headers
 * that are set one by one cost twice as much. What a response says itself wins over what all have in common.
 */
export const responseWriter = (corsOrigins: ReadonlyArray<string>): ResponseWriter => {
  const crossOrigin = crossOriginHeaders(corsOrigins);
  return (target, { status, body, contentType = jsonType, headers: own = none }) => {
    const { message, response, requestId, closes } = target;
    const shared = crossOrigin(message);
    const headers =
      'Vary' in own && 'Vary' in shared ? { ...own, Vary: `${own['Vary']}, ${shared['Vary']}` } : own;
    const head = ['X-Request-Id', requestId];
    append(head, securityHeaders, headers);
    append(head, shared, headers);
    if (isDeprecated(message)) append(head, deprecationHeaders, headers);
    if (body !== undefined) {
      head.push('Content-Type', contentType, 'Content-Length', String(Buffer.byteLength(body)));
    }
    append(head, headers, connection);
    if (closes) append(head, connection);
    response.writeHead(status, head);
    writeBody(target, body);
  };
};
