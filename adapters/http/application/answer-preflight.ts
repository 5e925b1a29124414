import type { Context, Middleware } from 'koa';
import type { Headers } from '../protocol/headers';
import { setHeaders } from '../protocol/set-headers';

const preflightHeaders = {
  'Access-Control-Allow-Methods': 'GET,HEAD,POST',
  'Access-Control-Allow-Headers': 'Authorization,Content-Type,Idempotency-Key,X-Request-Id,traceparent',
  // In seconds: how long a browser may remember this.
  'Access-Control-Max-Age': '7200',
};

/** Says, without a key, what a page may send whose origin is allowed (Fetch standard, section 3.3.3). */
export const answerPreflight =
  (headersOf: (context: Context) => Headers): Middleware =>
  async (context, next) => {
    const headers = headersOf(context);
    const isPreflight =
      context.method === 'OPTIONS' &&
      context.get('Access-Control-Request-Method') !== '' &&
      headers['Access-Control-Allow-Origin'] !== undefined;
    if (!isPreflight) {
      await next();
      return;
    }
    setHeaders(context.res, { ...headers, ...preflightHeaders });
    context.status = 204;
  };
