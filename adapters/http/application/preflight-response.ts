import type { IncomingMessage } from 'node:http';
import { isAllowedOrigin } from '../protocol/cross-origin';
import { methods } from '../protocol/methods';
import type { HttpResponse } from '../responses/http-response';

/** Whether a browser asks, without a key, what a page of an allowed origin may send. */
export const isPreflight = (
  { method, headers }: IncomingMessage,
  corsOrigins: ReadonlyArray<string>,
): boolean =>
  method === 'OPTIONS' &&
  headers['access-control-request-method'] !== undefined &&
  isAllowedOrigin(corsOrigins, headers.origin);

/** What such a page may send (Fetch standard, section 3.3.3); whose pages may is with every response. */
export const preflightResponse: HttpResponse = {
  status: 204,
  headers: {
    'Access-Control-Allow-Methods': methods.join(),
    'Access-Control-Allow-Headers':
      'Authorization,Content-Type,Idempotency-Key,X-Request-Id,traceparent,tracestate',
    // In seconds: how long a browser may remember this.
    'Access-Control-Max-Age': '7200',
  },
};
