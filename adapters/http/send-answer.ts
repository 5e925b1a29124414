import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import type { Answer } from './answer';
import { discardRest } from './discard-rest';
import { setHeaders } from './set-headers';

const announcesBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/** Writes an answer; a body that was not read is not waited for. */
export const sendAnswer = (context: Context, { status, body, headers = {} }: Answer): void => {
  const { req } = context;
  if (announcesBody(req) && !req.complete) {
    // Without a 100 (Continue) the client may or may not send the body: only a new connection is unambiguous.
    if (req.headers.expect !== undefined) context.set('Connection', 'close');
    discardRest(req);
  }
  context.status = status;
  context.res.setHeader('Content-Type', 'application/json');
  setHeaders(context.res, headers);
  context.body = body;
};
