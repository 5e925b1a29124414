import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import type { ServerFunctions } from './context';
import { serverTimeouts } from '../../core/timeouts';

export interface HttpServerFunctions {
  /** Time by `performance.now()` at which a request arrived, before it was queued. */
  readonly arrivedAt: (request: IncomingMessage) => number | undefined;
  /** Returns undefined once the client has left. */
  readonly deadlineOf: (request: IncomingMessage) => number | undefined;
  readonly readBody: ServerFunctions['readBody'];
}

/** Makes the functions for a host's own server. A request has 4 s, plus the time to receive its body. */
const hostServerFunctions = (): ServerFunctions => {
  const deadlines = new WeakMap<IncomingMessage, number>();
  const deadlineOf = (request: IncomingMessage): number => {
    const deadline = deadlines.get(request) ?? performance.now() + serverTimeouts.responseMs;
    deadlines.set(request, deadline);
    return deadline;
  };
  return {
    deadlineOf,
    readBody: async (request, maxBytes) => {
      const deadline = deadlineOf(request);
      const began = performance.now();
      const length = request.headers['content-length'] ?? null;
      const body = await getRawBody(request, { limit: maxBytes, length });
      deadlines.set(request, deadline + performance.now() - began);
      return body;
    },
  };
};

export const serverFunctions = (server?: HttpServerFunctions): ServerFunctions => {
  const host = hostServerFunctions();
  if (server === undefined) return host;
  const { deadlineOf, readBody } = server;
  return { deadlineOf: (request) => deadlineOf(request) ?? host.deadlineOf(request), readBody };
};
