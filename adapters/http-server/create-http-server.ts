import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { createBulkheads, prioritizeAccept } from './admission';
import { collectBody } from './read-body';
import type { ExchangeObserver } from './request-lifecycle';
import { createNodeServer, exchangeOf, serveConnections } from './serve-connections';
import type { ErrorResponse, ServerFailure } from './server-failure';
import { closeAll, drainAcceptBacklog } from './stop-server';
import { serverTimeouts } from '../../core/timeouts';

/** A listener of `http.createServer`, such as the callback of Koa, an Express application or the handler of Fastify. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Options of `startHttpServer`. */
export interface HttpServerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Maximum concurrent safe requests (RFC 9110, section 9.2.1), and as many others. Further requests are queued. */
  readonly maxInFlight: number;
  /** Maximum time in the queue. A request that would wait longer is rejected at once, as Overloaded. */
  readonly maxWaitMs: number;
  /** Makes the response for a failure. The server adds Content-Length, Connection and Date, and omits the body for a HEAD. */
  readonly errorResponse: (failure: ServerFailure, request: IncomingMessage) => ErrorResponse;
  /** True for requests that are never queued, such as liveness checks. */
  readonly isAlwaysAdmitted?: (request: IncomingMessage) => boolean;
  readonly observer?: ExchangeObserver;
}

/** A listening server. */
export interface HttpServer {
  readonly address: string;
  /**
   * Stops gracefully. From now on each connection closes after its next response. After the delay, which lets load balancers
   * notice, the server accepts no more connections and answers the requests it has received. Closes the rest after 10 s.
   */
  readonly stop: (delayMs: number) => Promise<void>;
}

/**
 * Maximum connections that wait to be accepted; the kernel caps it (`net.core.somaxconn`). Beyond Node's default of 511, a
 * client retries only after a second or more.
 */
const backlog = 65_535;

/**
 * Returns the deadline of a request, by `performance.now()`: 4 s after its arrival, plus the time to receive its body.
 * Undefined for a request of another server.
 */
export const deadlineOf = (request: IncomingMessage): number | undefined => exchangeOf(request)?.deadline;

/** Returns when a request became the current one of its connection, by `performance.now()`. Undefined for another server. */
export const arrivedAt = (request: IncomingMessage): number | undefined => exchangeOf(request)?.arrivedAt;

/**
 * Reads the unread body of a request of any server. On this server the request holds no slot while its client sends.
 * Rejects with a `BodyError` if the body is longer than `maxBytes` or incomplete.
 */
export const readBody = (request: IncomingMessage, maxBytes: number): Promise<Buffer> =>
  exchangeOf(request)?.readBody(maxBytes) ?? collectBody(request, maxBytes);

const addressOf = (host: string, bound: ReturnType<Server['address']>): string => {
  const port = typeof bound === 'object' && bound !== null ? bound.port : '';
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
};

/** Serves a listener over HTTP/1.1 by a hardened `http.createServer` (README.md). Rejects if it cannot listen on the port. */
export const startHttpServer = async (
  listener: Listener,
  options: HttpServerOptions,
): Promise<HttpServer> => {
  const { host, port, maxInFlight, maxWaitMs, errorResponse, observer = {} } = options;
  const server = createNodeServer();
  const bulkheads = createBulkheads(maxInFlight, maxWaitMs);
  server.on('connection', prioritizeAccept(bulkheads, serverTimeouts.acceptMs));
  server.listen({ port, host, backlog });
  await once(server, 'listening');

  let isStopping = false;
  const served = serveConnections(server, {
    listener,
    errorResponse,
    isAlwaysAdmitted: options.isAlwaysAdmitted ?? (() => false),
    observer,
    bulkheads,
    isStopping: () => isStopping,
    abandoned: new Set(),
  });
  // Ignores a connection that cannot be accepted, such as when file descriptors run out.
  server.on('error', () => undefined);

  return {
    address: addressOf(host, server.address()),
    stop: async (delayMs) => {
      isStopping = true;
      await pause(delayMs);
      await drainAcceptBacklog(served.accepted);
      await closeAll(server, served);
      served.stopSweep();
      // Also clears an interval of Node that would keep the server in memory.
      server.close();
    },
  };
};
