import { leaveBody } from '../protocol/leave-body';
import type { Send } from './send';
import { setHeaders } from '../protocol/set-headers';

/** Answers in Koa's way: middleware around it sees the answer, and may change it. */
export const sendAnswer: Send = (context, { status, body, headers = {} }) => {
  leaveBody(context.req, context.res);
  context.status = status;
  context.res.setHeader('Content-Type', 'application/json');
  setHeaders(context.res, headers);
  context.body = body;
};
