import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises';
import { createBulkheads, prioritizeAccept } from './admission';
import type { HttpServerOptions, Listener } from './options';
import { createNodeServer, type NodeServer, serveConnections } from './serve-connections';
import { serverTimeouts } from '../../core/timeouts';

/** Listening HTTP server. Its address is a URL such as `http://127.0.0.1:3000`. */
export interface HttpServer {
  readonly address: string;
  /**
   * Stops gracefully. During `delayMs`, the server still accepts connections and serves requests, so that load
   * balancers have time to send new requests elsewhere. Afterwards it accepts no connection, and closes each open
   * connection after its next response. Idle connections close after 1.5 s, or after `delayMs` if it is shorter, so
   * that proxies can close them first. All remaining connections close after `closeMs`, by default 10 s.
   */
  readonly stop: (delayMs: number, closeMs?: number) => Promise<void>;
}

/**
 * Maximum length of the accept backlog, which the kernel caps at `net.core.somaxconn`. With Node's default of 511, a
 * client that finds the backlog full retries only after a second or more.
 */
const backlog = 65_535;

const addressOf = (host: string, bound: ReturnType<Server['address']>): string => {
  const port = typeof bound === 'object' && bound !== null ? bound.port : '';
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
};

/**
 * Accepts the connections in the kernel's accept backlog, because closing the server would reset them. A short
 * tick of the event loop that accepts no connection shows that the backlog is empty. A long tick shows nothing, because
 * new connections can arrive while it runs.
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

/**
 * Closes the server at once, and its idle connections after `idleGraceMs`. Calls `close` of net.Server, because `close`
 * of http.Server would also close idle connections at once. Node counts a connection as idle even while its response is
 * unread or its request is unparsed. Idle connections are therefore closed only while no connection is busy.
 */
const closeAll = async (
  server: NodeServer,
  { open }: ReturnType<typeof serveConnections>,
  idleGraceMs: number,
  closeMs: number,
): Promise<void> => {
  const closeIdleAt = performance.now() + idleGraceMs;
  const closed = once(server, 'close');
  NetServer.prototype.close.call(server);
  const closeIdle = setInterval(() => {
    if (performance.now() < closeIdleAt) return;
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
  }, closeMs);
  await closed;
  // The server emits `close` before the last socket does.
  while (open.size > 0) await immediate();
  clearInterval(closeIdle);
  clearTimeout(closeSilent);
  clearTimeout(closeRest);
};

/**
 * Serves a request listener over HTTP/1.1, with limits on requests, memory and time. Rejects if the server cannot
 * listen on the port. app/serve/serve.ts calls it.
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
  // Ignore errors of connections that cannot be accepted, such as when file descriptors run out. An `error` event
  // without a listener would end the process.
  server.on('error', () => undefined);

  return {
    address: addressOf(host, server.address()),
    stop: async (delayMs, closeMs = serverTimeouts.stopMs) => {
      // While `isStopping` is true, each response closes its connection. `isStopping` therefore stays false during the
      // delay. Otherwise a proxy would open a new connection for each request, and the connections opened at the end of
      // the delay would be reset.
      isStopping = delayMs === 0;
      await pause(delayMs);
      await drainAcceptBacklog(served.accepted);
      isStopping = true;
      await closeAll(server, served, Math.min(delayMs, serverTimeouts.idleGraceMs), closeMs);
      served.stopSweep();
      // Clears Node's interval that checks connections. The interval would keep the server in memory.
      server.close();
    },
  };
};
