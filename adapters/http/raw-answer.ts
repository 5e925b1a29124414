import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { failureAnswer } from './failure-answer';
import type { HttpFailure } from './http-failures';
import { securityHeaders } from './security-headers';

/** The bytes of an answer to a request that Node's parser gave up: it ends the connection. */
export const rawAnswer = (failure: HttpFailure): string => {
  const { status, body, headers } = failureAnswer(failure);
  const fields = {
    Connection: 'close',
    Date: new Date().toUTCString(),
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Request-Id': randomUUID(),
    ...securityHeaders,
    ...headers,
  };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${head.join('')}\r\n${body}`;
};
