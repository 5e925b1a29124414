import type { Context, Next } from 'koa';
import { setHeaders } from './set-headers';

const preflightHeaders = {
  'Access-Control-Allow-Methods': 'GET,HEAD,POST',
  'Access-Control-Allow-Headers': 'Authorization,Content-Type,Idempotency-Key,X-Request-Id,traceparent',
  // In seconds: how long a browser may remember this.
  'Access-Control-Max-Age': '7200',
};

/** Says, without a key, what a page may send whose origin is allowed already (Fetch standard, section 3.3.3). */
export const answerPreflight = async (context: Context, next: Next): Promise<void> => {
  const isPreflight =
    context.method === 'OPTIONS' &&
    context.get('Access-Control-Request-Method') !== '' &&
    context.res.hasHeader('Access-Control-Allow-Origin');
  if (!isPreflight) {
    await next();
    return;
  }
  setHeaders(context.res, preflightHeaders);
  context.status = 204;
};
