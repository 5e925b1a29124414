import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises';
import { createBulkheads, prioritizeAccept } from './admission';
import type { HttpServerOptions, Listener } from './options';
import { createNodeServer, type NodeServer, serveConnections } from './serve-connections';
import { serverTimeouts } from '../../core/timeouts';

/** A listening HTTP server. */
export interface HttpServer {
  readonly address: string;
  /**
   * Stops gracefully. During `delayMs`, requests are served as before, so that load balancers have time to send new
   * ones elsewhere. Afterwards no connection is accepted, and each open one closes after its next response. Idle
   * connections close after 1.5 s, or `delayMs` if it is shorter, so that proxies can close them first. All others
   * close after 10 s.
   */
  readonly stop: (delayMs: number) => Promise<void>;
}

/**
 * Maximum length of the accept backlog; the kernel caps it at `net.core.somaxconn`. With Node's default of 511, a
 * client that finds the backlog full retries only after a second or more.
 */
const backlog = 65_535;

const addressOf = (host: string, bound: ReturnType<Server['address']>): string => {
  const port = typeof bound === 'object' && bound !== null ? bound.port : '';
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
};

/**
 * Accepts the connections in the kernel's accept backlog, because closing the server would reset them. The backlog is
 * empty after a tick of the event loop that accepted none. Only a short tick counts, since connections can arrive
 * during a long one.
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
  // The `close` of http.Server would also close idle connections.
  NetServer.prototype.close.call(server);
  const closeIdle = setInterval(() => {
    if (performance.now() < closeIdleAt) return;
    // Node also counts a connection as idle while its response is unread or its request is unparsed, and would close
    // it.
    const isBusy = [...open.values()].some(({ isIdle, isClosing }) => !isIdle || isClosing);
    if (!isBusy) server.closeIdleConnections();
  }, serverTimeouts.idleCheckMs);
  // Node counts connections that have sent nothing as busy, and never closes them. Close them after a delay, because
  // the kernel may have received a request that Node has not read yet.
  const closeSilent = setTimeout(() => {
    for (const { socket } of open.values()) if (socket.bytesRead === 0) socket.destroy();
  }, serverTimeouts.firstByteMs);
  const closeRest = setTimeout(() => {
    for (const { socket } of open.values()) socket.destroy();
  }, serverTimeouts.stopMs);
  await closed;
  // The server emits `close` before the last socket does.
  while (open.size > 0) await immediate();
  clearInterval(closeIdle);
  clearTimeout(closeSilent);
  clearTimeout(closeRest);
};

/**
 * Serves a listener over HTTP/1.1, as README.md describes. Rejects if the server cannot listen on the port. The app
 * calls it in app/serve/serve.ts.
 */
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
  // Ignore connections that cannot be accepted, such as when file descriptors run out. An unhandled `error` event would
  // end the process.
  server.on('error', () => undefined);

  return {
    address: addressOf(host, server.address()),
    stop: async (delayMs) => {
      // Keep connections open during the delay. Otherwise a proxy would open a new connection for each request, and
      // those opened at the end of the delay would be reset.
      isStopping = delayMs === 0;
      await pause(delayMs);
      await drainAcceptBacklog(served.accepted);
      isStopping = true;
      await closeAll(server, served, Math.min(delayMs, serverTimeouts.idleGraceMs));
      served.stopSweep();
      // Clear Node's interval that checks connections, which would keep the server in memory.
      server.close();
    },
  };
};
