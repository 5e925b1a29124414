/* Koa's context of a request, and the record that belongs to it. */

import type Koa from 'koa';
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
