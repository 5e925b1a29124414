import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Middleware } from '../context';

const wellFormed = /^[\w.:~+/=-]{1,128}$/;

/** Returns the `X-Request-Id` of the request if it is well-formed, otherwise a new id, which it stores in the request's headers. */
export const requestIdOf = ({ headers }: IncomingMessage): string => {
  const given = headers['x-request-id'];
  if (typeof given === 'string' && wellFormed.test(given)) return given;
  const id = randomUUID();
  headers['x-request-id'] = id;
  return id;
};

export const requestId: Middleware = (context, next) => {
  const id = requestIdOf(context.req);
  context.state.requestId = id;
  context.res.setHeader('X-Request-Id', id);
  return next();
};
