import type { Context } from 'koa';
import type { Headers } from '../protocol/headers';
import { leaveBody } from '../protocol/leave-body';
import type { Send } from './send';

const append = (head: Array<string>, headers: Headers): void => {
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) head.push(name, value);
  }
};

/**
 * Answers past Koa, head and body at once: headers that are set one by one cost twice as much. `fixed` ones are on
 * every answer, `own` ones for its request's sake; an answer has none of them itself. What runs after it can't change
 * the answer.
 */
export const writeAnswer = (fixed: Headers, own: (context: Context) => Headers): Send => {
  const fixedHead: Array<string> = ['Content-Type', 'application/json'];
  append(fixedHead, fixed);
  return (context, { status, body, headers = {} }) => {
    leaveBody(context.req, context.res);
    context.respond = false;
    const head = [...fixedHead, 'Content-Length', String(Buffer.byteLength(body))];
    append(head, own(context));
    append(head, headers);
    context.res.writeHead(status, head).end(body);
  };
};
