import type { IncomingMessage } from 'node:http';
import { crossOriginHeaders } from '../protocol/cross-origin';
import { deprecationHeaders, isDeprecated } from '../protocol/deprecation';
import type { Headers } from '../protocol/headers';
import { securityHeaders } from '../protocol/security-headers';
import { type HttpResponse, jsonType } from '../responses/http-response';
import { endConnection, endIfIdle, type Exchange, idOf } from './connection';
import { writeBody } from './write-body';

const none: Headers = {};
const connectionClose: Headers = { Connection: 'close' };

const append = (head: Array<string>, headers: Headers, except: Headers = none): void => {
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && !(name in except)) head.push(name, value);
  }
};

/** Of a body that nobody wants, in bytes that are read and thrown away so that its sender gets to read the response. */
const maxDiscardedBytes = 16_777_216;

/** Lets a sender finish a body that nobody wants; one that goes on for too long is cut off. */
const drainBody = (message: IncomingMessage): void => {
  let discarded = 0;
  message.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > maxDiscardedBytes) message.destroy();
  });
  message.resume();
};

const hasUnreadBody = ({ headers, complete }: IncomingMessage): boolean =>
  !complete && (headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0');

/** Whether the connection ends with a response. */
const isLast = ({ message, response, isContinued }: Exchange, { headers }: HttpResponse): boolean =>
  !response.shouldKeepAlive ||
  headers?.['Connection'] === 'close' ||
  // Without a 100 (Continue) the client may or may not send its body: only a new connection is unambiguous.
  (message.headers.expect !== undefined && !isContinued);

export type ResponseWriter = ReturnType<typeof responseWriter>;

/**
 * Makes the one writer of all responses, of those too that no route sees. Head and small bodies go out at once: headers
 * that are set one by one cost twice as much. What a response says itself wins over what all have in common.
 */
export const responseWriter = (corsOrigins: ReadonlyArray<string>, isStopping: () => boolean) => {
  const crossOrigin = crossOriginHeaders(corsOrigins);

  return (exchange: Exchange, httpResponse: HttpResponse): void => {
    const { message, response, connection, isRejected } = exchange;
    const { status, body, contentType = jsonType, headers: own = none } = httpResponse;
    const closes = isStopping() || isLast(exchange, httpResponse);
    const isUnread = hasUnreadBody(message);
    const lingers = closes && (isUnread || isRejected || connection.waiting.length > 0);
    if (closes) endConnection(connection);
    else if (isUnread) {
      drainBody(message);
      message.once('end', () => {
        if (isStopping()) endIfIdle(connection);
      });
    }

    const shared = crossOrigin(message);
    const headers =
      'Vary' in own && 'Vary' in shared ? { ...own, Vary: `${own['Vary']}, ${shared['Vary']}` } : own;
    const head = ['X-Request-Id', idOf(exchange)];
    append(head, securityHeaders, headers);
    append(head, shared, headers);
    if (isDeprecated(message)) append(head, deprecationHeaders, headers);
    if (body !== undefined) {
      head.push('Content-Type', contentType, 'Content-Length', String(Buffer.byteLength(body)));
    }
    append(head, headers, connectionClose);
    if (closes) append(head, connectionClose);
    response.writeHead(status, head);
    writeBody(exchange, body, lingers);
  };
};
