import type { IncomingMessage } from 'node:http';
import type { Context, Headers } from './context';
import { causeOf, describeFailure, errorBodyText, type HttpFailure } from './errors';

export const jsonType = 'application/json';

const failures = new WeakMap<IncomingMessage, HttpFailure>();

export const recordFailure = (request: IncomingMessage, failure: HttpFailure): void => {
  failures.set(request, failure);
};

export const failureOf = (request: IncomingMessage): HttpFailure | undefined => failures.get(request);

/** Sets headers on Node's response. Koa's `set` allocates four arrays for each header. */
export const setHeaders = ({ res }: Context, headers: Headers): void => {
  if (res.headersSent) return;
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
};

export const succeed = (context: Context, json: string | Buffer): void => {
  context.status = context.state.route?.successStatus ?? 200;
  setHeaders(context, { 'Content-Type': jsonType });
  context.body = typeof json === 'string' ? Buffer.from(json) : json;
};

/** Answers with the Error of a failure. Its cause becomes the application's `error` event. */
export const fail = (context: Context, failure: HttpFailure): void => {
  // The server has already answered at the deadline, so only a bug is worth a report.
  if (context.headerSent && failure._tag !== 'Defect') return;
  const cause = causeOf(failure);
  if (cause !== undefined) context.app.emit('error', cause, context);
  if (context.headerSent) return;
  recordFailure(context.req, failure);
  const description = describeFailure(failure);
  context.status = description.status;
  context.set(description.headers);
  context.set('Content-Type', jsonType);
  context.body = errorBodyText(description);
};
