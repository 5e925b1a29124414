import type { IncomingMessage, ServerResponse } from 'node:http';
import { unavailable } from '../../../core';
import type { Headers } from '../protocol/headers';
import { leaveBody } from '../protocol/leave-body';
import { failureAnswer } from '../responses/failure-answer';
import type { RefusalRecord } from '../observability/reporter';
import { requestId } from '../protocol/request-id';
import { securityHeaders } from '../protocol/security-headers';

const { status, headers, body } = failureAnswer(unavailable('too many requests are in flight'));

const fixedHead = Object.entries({
  ...securityHeaders,
  ...headers,
  'Content-Type': 'application/json',
  'Content-Length': String(Buffer.byteLength(body)),
}).flat();

/** In milliseconds, less than `Retry-After` says: a refused client that asks again sooner waits unread. */
const rest = 800;

const restUnread = ({ socket }: IncomingMessage): void => {
  socket.pause();
  setTimeout(() => {
    socket.resume();
  }, rest).unref();
};

/**
 * Answers 503 at the least cost, before the application sees the request: an overload must not feed on itself.
 * `ownHeaders` come for this request's sake, on top of those of every answer.
 */
export const refuseOverload = (
  request: IncomingMessage,
  response: ServerResponse,
  ownHeaders: Headers = {},
): RefusalRecord => {
  const id = requestId(request);
  leaveBody(request, response);
  const head = [...fixedHead, 'X-Request-Id', id, ...Object.entries(ownHeaders).flat()];
  response.writeHead(status, head).end(body);
  // Both are over then: the answer written, the body read.
  request.once('close', () => {
    restUnread(request);
  });
  return { requestId: id, status };
};
