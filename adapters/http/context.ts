/* Koa's context of a request, and the record that belongs to it. */

import type Koa from 'koa';
import type { IncomingMessage } from 'node:http';
import type { Caller } from '../../core';
import type { RequestHead } from './forwarded';
import { RequestRecord } from './request-record';

/** State of a request in Koa, for the middleware of an embedding program. */
export interface State {
  caller?: Caller;
}

export type Context = Koa.ParameterizedContext<State>;
export type Middleware = Koa.Middleware<State>;

const records = new WeakMap<RequestHead, RequestRecord>();

/** Returns the record of a request that the Koa application has received, otherwise undefined. */
export const findRecord = (request: RequestHead): RequestRecord | undefined => records.get(request);

/** Returns the record of the request of a context. The first call makes the record. */
export const recordOf = ({ req, res }: Context): RequestRecord => {
  const earlier = records.get(req);
  if (earlier !== undefined) return earlier;
  // A host may have set its own id for the request.
  const record = new RequestRecord(res.getHeader('X-Request-Id') ?? req.headers['x-request-id']);
  records.set(req, record);
  return record;
};

/**
 * Returns a header, or the values of a repeated header joined by commas. `headers` has only the first value of
 * Authorization and Content-Type. A request with two keys must not be accepted for the first one.
 */
export const headerOf = ({ headers, rawHeaders }: IncomingMessage, name: string): string | undefined => {
  if (name !== 'authorization' && name !== 'content-type') return headers[name]?.toString();
  const isNamed = (index: number): boolean => rawHeaders[index]?.toLowerCase() === name;
  const values = rawHeaders.filter((_, index) => index % 2 === 1 && isNamed(index - 1));
  return values.length === 0 ? headers[name] : values.join(', ');
};
