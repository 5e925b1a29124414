import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises';
import { createBulkheads, prioritizeAccept } from './admission';
import type { HttpServerOptions, Listener } from './options';
import { startReading } from './read-body';
import { exchangeOf } from './request-lifecycle';
import { createNodeServer, type NodeServer, serveConnections } from './serve-connections';
import { serverTimeouts } from '../../core/timeouts';

/** A listening server. */
export interface HttpServer {
  readonly address: string;
  /**
   * Stops gracefully. After the delay, which lets load balancers notice, the server accepts no more connections and each
   * connection closes after its next response. Idle connections close after 1.5 s, or the delay if it is shorter, so that
   * proxies can close them first. The rest closes after 10 s.
   */
  readonly stop: (delayMs: number) => Promise<void>;
}

/**
 * Maximum length of the accept backlog; the kernel caps it at `net.core.somaxconn`. With Node's default of 511, a
 * client that finds the backlog full retries only after a second or more.
 */
const backlog = 65_535;

/**
 * Returns the deadline of a request (`performance.now()`): 4 s after its arrival, plus the time to receive its body.
 * Undefined if another server received the request.
 */
export const deadlineOf = (request: IncomingMessage): number | undefined => exchangeOf(request)?.deadline;

/**
 * Returns the time (`performance.now()`) at which a request became the current one of its connection. Undefined if
 * another server received the request.
 */
export const arrivedAt = (request: IncomingMessage): number | undefined => exchangeOf(request)?.arrivedAt;

/**
 * Reads a request's body, also of a request that another HTTP server received. On this server, the request releases its
 * slot until the body has arrived. Rejects with a `BodyError` if the body is longer than `maxBytes` or incomplete.
 */
export const readBody = (request: IncomingMessage, maxBytes: number): Promise<Buffer> =>
  exchangeOf(request)?.readBody(maxBytes) ?? startReading(request, maxBytes).body;

const addressOf = (host: string, bound: ReturnType<Server['address']>): string => {
  const port = typeof bound === 'object' && bound !== null ? bound.port : '';
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
};

/**
 * Accepts the connections in the kernel's backlog, because closing the server would reset them. Stops after a tick of
 * the event loop that accepted none. That tick must be short, since new connections can arrive during a long one.
 */
const drainAcceptBacklog = async (accepted: () => number): Promise<void> => {
  const giveUpAt = performance.now() + serverTimeouts.acceptBacklogMs;
  for (;;) {
    const before = accepted();
    const startedAt = performance.now();
    await immediate();
    const now = performance.now();
    if ((accepted() === before && now - startedAt < serverTimeouts.quietTurnMs) || now > giveUpAt) return;
  }
};

const closeAll = async (
  server: NodeServer,
  { open }: ReturnType<typeof serveConnections>,
  idleGraceMs: number,
): Promise<void> => {
  const closeIdleAt = performance.now() + idleGraceMs;
  const closed = once(server, 'close');
  // http.Server's own close would also close connections.
  NetServer.prototype.close.call(server);
  const closeIdle = setInterval(() => {
    if (performance.now() < closeIdleAt) return;
    // Node counts a connection as idle while its response is unread or its request is unparsed.
    const isBusy = [...open].some(({ isIdle, isClosing }) => !isIdle || isClosing);
    if (!isBusy) server.closeIdleConnections();
  }, serverTimeouts.idleCheckMs);
  // Node does not close connections that have sent nothing, since it counts them as busy. The timer gives first bytes
  // that are still in the kernel time to be read.
  const closeSilent = setTimeout(() => {
    for (const { socket } of open) if (socket.bytesRead === 0) socket.destroy();
  }, serverTimeouts.firstByteMs);
  const closeRest = setTimeout(() => {
    for (const { socket } of open) socket.destroy();
  }, serverTimeouts.stopMs);
  await closed;
  // The server emits close before its last socket does.
  while (open.size > 0) await immediate();
  clearInterval(closeIdle);
  clearTimeout(closeSilent);
  clearTimeout(closeRest);
};

/** Serves a listener over HTTP/1.1 (README.md). Rejects if it cannot listen on the port. */
export const startHttpServer = async (
  listener: Listener,
  options: HttpServerOptions,
): Promise<HttpServer> => {
  const { host, port, maxInFlight, maxWaitMs } = options;
  const server = createNodeServer();
  const bulkheads = createBulkheads(maxInFlight, maxWaitMs);
  server.on('connection', prioritizeAccept(bulkheads, serverTimeouts.acceptMs));
  server.listen({ port, host, backlog });
  await once(server, 'listening');

  let isStopping = false;
  const served = serveConnections(server, {
    options,
    listener,
    bulkheads,
    isStopping: () => isStopping,
    abandoned: new Set(),
  });
  // Ignores a connection that cannot be accepted, such as when file descriptors run out.
  server.on('error', () => undefined);

  return {
    address: addressOf(host, server.address()),
    stop: async (delayMs) => {
      // In the delay, connections stay open. Otherwise a proxy would open one for each request, and the end of the delay
      // would reset those that arrive in that moment.
      isStopping = delayMs === 0;
      await pause(delayMs);
      await drainAcceptBacklog(served.accepted);
      isStopping = true;
      await closeAll(server, served, Math.min(delayMs, serverTimeouts.idleGraceMs));
      served.stopSweep();
      // Also clears an interval of Node that would keep the server in memory.
      server.close();
    },
  };
};
