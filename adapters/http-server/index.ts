import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises';
import { AcceptPriority } from './accept-priority';
import { Connection, connectionOf, type HttpServerOptions, type Listener } from './connection';
import { continueOnceRead } from './early-response';
import { serverTimeouts } from './timeouts';
import { keptHeaders, maxHeadBytes } from './validate-request';

export type { HttpServerOptions } from './connection';

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
 * Returns the deadline of a request in milliseconds, by `performance.now()`: 4 s after its arrival. If its body arrives
 * later than its head, the 4 s begin at the end of the body. A pipelined request counts as arrived when the earlier
 * response of its connection has ended. Undefined for a request of another `http.Server`, and after the response.
 */
export const deadlineOf = (request: IncomingMessage): number | undefined =>
  connectionOf(request.socket)?.deadlineOf(request);

/**
 * Maximum length of the accept backlog, which the kernel caps at `net.core.somaxconn`. With Node's default of 511, a
 * client that finds the backlog full retries only after a second or more.
 */
const backlog = 65_535;

const maxUnreadBytes = 268_435_456;

const addressOf = (host: string, bound: ReturnType<Server['address']>): string => {
  const port = typeof bound === 'object' && bound !== null ? bound.port : '';
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
};

/** Disconnects the clients that have read nothing for the longest time, while unread responses take too much memory. */
const limitUnread = (connections: Iterable<Connection>): void => {
  let unreadBytes = 0;
  const readers: Array<{ readonly connection: Connection; readonly since: number }> = [];
  for (const connection of connections) {
    const { socket, unreadSince } = connection;
    unreadBytes += socket.writableLength;
    if (unreadSince !== undefined) readers.push({ connection, since: unreadSince });
  }
  if (unreadBytes <= maxUnreadBytes) return;
  readers.sort((one, other) => one.since - other.since);
  for (const { connection } of readers) {
    if (unreadBytes <= maxUnreadBytes) return;
    unreadBytes -= connection.socket.writableLength;
    connection.socket.destroy();
  }
};

const createNodeServer = (): Server => {
  const server = createServer({
    maxHeaderSize: maxHeadBytes,
    headersTimeout: serverTimeouts.headersMs,
    requestTimeout: serverTimeouts.requestMs,
    connectionsCheckingInterval: 1_000,
    // Off, because Node would set two timers for each request. `server.timeout` closes idle connections instead.
    keepAliveTimeout: 0,
    // `validateRequest` checks Host instead of Node, whose rejection has no body.
    requireHostHeader: false,
  });
  server.timeout = serverTimeouts.idleMs;
  server.maxHeadersCount = keptHeaders;
  return server;
};

/**
 * Accepts the connections in the kernel's accept backlog, because closing the server would reset them. A short
 * tick of the event loop that accepts no connection shows that the backlog is empty. A long tick shows nothing, because
 * new connections can arrive while it runs.
 */
const drainAcceptBacklog = async (server: Server): Promise<void> => {
  let accepted = 0;
  const count = (): void => {
    accepted += 1;
  };
  server.on('connection', count);
  const giveUpAt = performance.now() + serverTimeouts.acceptBacklogMs;
  for (;;) {
    const before = accepted;
    const startedAt = performance.now();
    await immediate();
    const now = performance.now();
    if ((accepted === before && now - startedAt < serverTimeouts.quietTurnMs) || now > giveUpAt) break;
  }
  server.off('connection', count);
};

/**
 * Closes the server at once, and its idle connections after `idleGraceMs`. Calls `close` of net.Server, because `close`
 * of http.Server would also close idle connections at once. Node counts a connection as idle even while its response is
 * unread. Idle connections are therefore closed only while no connection is busy.
 */
const closeAll = async (
  server: Server,
  open: ReadonlySet<Connection>,
  idleGraceMs: number,
  closeMs: number,
): Promise<void> => {
  const closeIdleAt = performance.now() + idleGraceMs;
  const closed = once(server, 'close');
  NetServer.prototype.close.call(server);
  const closeIdle = setInterval(() => {
    if (performance.now() < closeIdleAt) return;
    if ([...open].every(({ isIdle }) => isIdle)) server.closeIdleConnections();
  }, serverTimeouts.idleCheckMs);
  // Node counts connections that have sent nothing as busy, and never closes them. Close them after a delay, because
  // the kernel may have received a request that Node has not read yet.
  const closeSilent = setTimeout(() => {
    for (const { socket } of open) if (socket.bytesRead === 0) socket.destroy();
  }, serverTimeouts.firstByteMs);
  const closeRest = setTimeout(() => {
    for (const { socket } of open) socket.destroy();
  }, closeMs);
  await closed;
  // The server emits `close` before the last socket does.
  while (open.size > 0) await immediate();
  clearInterval(closeIdle);
  clearTimeout(closeSilent);
  clearTimeout(closeRest);
};

/**
 * Serves a request listener over HTTP/1.1, with limits on connections, memory and time. Rejects if the server cannot
 * listen on the port. app/serve/serve.ts calls it.
 */
export const startHttpServer = async (
  listener: Listener,
  { host, port, maxConnections, errorResponse, onRejected, onConnectionRefused }: HttpServerOptions,
): Promise<HttpServer> => {
  const server = createNodeServer();
  server.maxConnections = maxConnections;
  server.listen({ port, host, backlog });
  await once(server, 'listening');

  const acceptPriority = new AcceptPriority();
  const serving = { listener, errorResponse, onRejected, acceptPriority, isStopping: false };
  const open = new Set<Connection>();
  server.on('connection', (socket) => {
    acceptPriority.accept();
    const connection = new Connection(socket, serving);
    open.add(connection);
    socket.once('close', () => open.delete(connection));
  });
  server.on('drop', () => onConnectionRefused?.());
  const receive: RequestListener = (request, response) => {
    connectionOf(request.socket)?.receive(request, response);
  };
  server.on('request', receive);
  server.on('checkContinue', continueOnceRead).on('checkContinue', receive);
  // Node emits this event if Expect is not 100-continue. `validateRequest` then rejects the request with 417.
  server.on('checkExpectation', receive);
  server.on('connect', (request, socket) => {
    // Node has removed its own listener. Without one, a connection reset would end the process.
    socket.on('error', () => undefined);
    connectionOf(socket)?.rejectLast({ _tag: 'MethodNotAllowed', allowed: [] }, request);
  });
  server.on('clientError', (error, socket) => connectionOf(socket)?.failParsing(error));
  // Ignore errors of connections that cannot be accepted, such as when file descriptors run out. An `error` event
  // without a listener would end the process.
  server.on('error', () => undefined);

  const sweep = setInterval(() => {
    const now = performance.now();
    for (const connection of open) connection.sweep(now);
    limitUnread(open);
  }, serverTimeouts.sweepMs).unref();

  return {
    address: addressOf(host, server.address()),
    stop: async (delayMs, closeMs = serverTimeouts.stopMs) => {
      // While `isStopping` is true, each response closes its connection. `isStopping` therefore stays false during the
      // delay. Otherwise a proxy would open a new connection for each request, and the connections opened at the end of
      // the delay would be reset.
      serving.isStopping = delayMs === 0;
      await pause(delayMs);
      await drainAcceptBacklog(server);
      serving.isStopping = true;
      for (const connection of open) connection.announceStop();
      await closeAll(server, open, Math.min(delayMs, serverTimeouts.idleGraceMs), closeMs);
      clearInterval(sweep);
      // Clears Node's interval that checks connections. The interval would keep the server in memory.
      server.close();
    },
  };
};
