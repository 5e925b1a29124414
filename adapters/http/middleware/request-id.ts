import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Middleware } from '../context';

const wellFormed = /^[\w.:~+/=-]{1,128}$/;

const ids = new WeakMap<IncomingMessage, string>();

/** Returns the `X-Request-Id` of the request if it is well-formed, otherwise a new id. */
export const requestIdOf = (request: IncomingMessage): string => {
  const known = ids.get(request);
  if (known !== undefined) return known;
  const given = request.headers['x-request-id'];
  const id = typeof given === 'string' && wellFormed.test(given) ? given : randomUUID();
  ids.set(request, id);
  return id;
};

/** Adds the id of the request, which the log also has, to the response. */
export const requestId: Middleware = (context, next) => {
  const id = requestIdOf(context.req);
  context.state.requestId = id;
  context.set('X-Request-Id', id);
  return next();
};
