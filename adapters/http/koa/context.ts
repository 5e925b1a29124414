import type Koa from 'koa';
import type { IncomingMessage } from 'node:http';
import type { Caller } from '../../../core';
import { headerValues } from '../message/header-values';
import { heldRequestsMs } from '../message/held-requests';
import { type Outcome, type Reply, replyOf } from '../operations/reply';
import { RequestRecord } from '../operations/request-record';

const recordKey = Symbol('record');

/** State of a request in Koa. `caller` is for the middleware of an embedding program. */
export interface KoaState {
  caller?: Caller;
  [recordKey]?: RequestRecord;
}

export type Context = Koa.ParameterizedContext<KoaState>;

export type Middleware = Koa.Middleware<KoaState>;

/** Returns the record of the request of a context. The first call makes the record. */
export const recordOf = ({ req, res, state }: Context): RequestRecord => {
  const { [recordKey]: earlier } = state;
  if (earlier !== undefined) return earlier;
  // A host may have set its own id for the request.
  const sentId = res.getHeader('X-Request-Id') ?? req.headers['x-request-id'];
  const record = new RequestRecord(sentId, heldRequestsMs.get(req));
  state[recordKey] = record;
  return record;
};

/**
 * Returns a header. Joins the values of a repeated header by commas, so that a request with two API keys is not
 * authenticated by the first key.
 */
export const headerOf = ({ headers, rawHeaders }: IncomingMessage, name: string): string | undefined => {
  if (name !== 'authorization' && name !== 'content-type') return headers[name]?.toString();
  const values = headerValues(rawHeaders, name);
  return values.length === 0 ? headers[name] : values.join(', ');
};

/** Writes the reply. Emits the cause of a 500 or 503 as the application's `error` event. */
export const writeReply = (
  context: Context,
  record: RequestRecord,
  { status, headers, body }: Reply,
): void => {
  // Keep the `Vary` that middleware for CORS has set, because `context.set` replaces it.
  const earlierVary = context.res.getHeader('Vary');
  record.reportCause((cause) => context.app.emit('error', cause, context));
  context.status = status;
  context.set(headers);
  if (earlierVary !== undefined) context.vary(String(earlierVary));
  if (status === 304) return;
  context.body = typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
};

/** Writes the reply of a route that is not an operation. */
export const writeOutcome = (context: Context, outcome: Outcome): void => {
  const record = recordOf(context);
  record.outcome = outcome;
  writeReply(context, record, replyOf(outcome, record.id, {}, context.get('If-None-Match')));
};
