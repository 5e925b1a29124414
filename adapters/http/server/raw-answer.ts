import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { failureAnswer } from '../responses/failure-answer';
import type { Headers } from '../protocol/headers';
import type { HttpFailure } from '../responses/http-failures';
import type { RefusalRecord } from '../observability/reporter';
import { securityHeaders } from '../protocol/security-headers';

interface RawAnswer extends RefusalRecord {
  readonly bytes: string;
}

/** The answer to a request that Node's parser gave up: it ends the connection. `ownHeaders` come for that request's sake. */
export const rawAnswer = (failure: HttpFailure, withBody: boolean, ownHeaders: Headers): RawAnswer => {
  const requestId = randomUUID();
  const { status, body, headers } = failureAnswer(failure);
  const fields = {
    Connection: 'close',
    Date: new Date().toUTCString(),
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Request-Id': requestId,
    ...securityHeaders,
    ...headers,
    ...ownHeaders,
  };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return {
    requestId,
    status,
    bytes: `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${head.join('')}\r\n${withBody ? body.toString() : ''}`,
  };
};
