import { once } from 'node:events';
import { type RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises';
import { requestLimits } from '../message/limits';
import { continueOnceRead } from '../message/request';
import { maxKeptHeaders } from './check-head';
import { Connection } from './connection';
import { RequestQueue } from './request-queue';
import type { Listener, ServerState } from './server-state';
import { serverTimeouts } from './timeouts';

export interface HttpServerOptions extends Pick<ServerState, 'allowedMethods' | 'rejectRequest'> {
  readonly host: string;
  readonly port: number;
  /** Maximum number of open connections. Further connections are closed at once. */
  readonly maxConnections: number;
  /** Time after which a silent connection is closed. A proxy must close idle connections earlier. */
  readonly idleSeconds: number;
  /** Callback for each connection above `maxConnections`. */
  readonly onConnectionRefused?: () => void;
}

/** Listening HTTP server. Its address is a URL such as `http://127.0.0.1:3000`. */
export interface HttpServer {
  readonly address: string;
  readonly openConnections: () => number;
  /**
   * Stops gracefully. During `delayMs`, the server still accepts connections and serves requests, so that load
   * balancers have time to send new requests elsewhere. Afterwards it accepts no connection, and closes each open
   * connection after its next response. Idle connections close after 1.5 s, or after `delayMs` if it is shorter, so
   * that proxies can close them first. All remaining connections close after `closeMs`, by default 10 s.
   */
  readonly stop: (delayMs: number, closeMs?: number) => Promise<void>;
}

/**
 * Serves a request listener over HTTP/1.1, with limits on connections, memory and time. Rejects if the server cannot
 * listen on the host and port.
 */
export const startHttpServer = async (
  listener: Listener,
  { host, port, maxConnections, idleSeconds, onConnectionRefused, ...rejection }: HttpServerOptions,
): Promise<HttpServer> => {
  const server = createNodeServer(idleSeconds);
  server.maxConnections = maxConnections;
  server.listen({ port, host, backlog });
  await once(server, 'listening');

  const requestQueue = new RequestQueue();
  const state: ServerState = { listener, ...rejection, requestQueue, idleSeconds, isStopping: false };
  const open = trackConnections(server, state);
  server.on('drop', () => onConnectionRefused?.());
  // Ignore errors of connections that cannot be accepted, such as when file descriptors run out. An `error` event
  // without a listener would end the process.
  server.on('error', () => undefined);

  const limitUnread = unreadLimit();
  const sweep = setInterval(() => {
    limitUnread([...open.values()].map(({ socket }) => socket));
  }, serverTimeouts.sweepMs).unref();

  return {
    address: addressOf(host, server.address()),
    openConnections: () => open.size,
    stop: async (delayMs, closeMs = serverTimeouts.stopMs) => {
      // Keep `isStopping` false during the delay. If each response closed its connection, a proxy would open a new
      // connection for each request. Connections that are opened at the end of the delay would then be reset.
      state.isStopping = delayMs === 0;
      await pause(delayMs);
      // Hold requests during the drain, because they would prolong ticks, and their clients would connect again.
      requestQueue.pause();
      await drainAcceptBacklog(server);
      server.close();
      state.isStopping = true;
      requestQueue.resume();
      for (const connection of open.values()) connection.announceStop();
      await closeConnections(server, open, Math.min(delayMs, serverTimeouts.idleGraceMs), closeMs);
      clearInterval(sweep);
    },
  };
};

/**
 * Maximum length of the accept backlog, which the kernel caps at `net.core.somaxconn`. Node's default of 511 fills up
 * when many clients connect at once. Further clients then retry only after a second or more.
 */
const backlog = 65_535;

const createNodeServer = (idleSeconds: number): Server => {
  const server = new Server({
    maxHeaderSize: requestLimits.headBytes,
    headersTimeout: requestLimits.headMs,
    requestTimeout: requestLimits.requestMs,
    connectionsCheckingInterval: 1_000,
    // Disabled, because Node would set two timers for each request. `server.timeout` closes idle connections instead.
    keepAliveTimeout: 0,
    // Disabled, because Node's own 400 has no body. `checkHead` checks Host instead.
    requireHostHeader: false,
  });
  // Waits a second longer than `Keep-Alive` announces, so that a request at the last moment is still served.
  server.timeout = 1_000 * (idleSeconds + 1);
  server.maxHeadersCount = maxKeptHeaders;
  // Disabled, because `server.close` calls it, and would close connections whose client has not yet read the response.
  server.closeIdleConnections = () => undefined;
  return server;
};

/** Makes a Connection for each accepted socket, and passes the server's events to the Connections. */
const trackConnections = (server: Server, state: ServerState): ReadonlyMap<Duplex, Connection> => {
  const open = new Map<Duplex, Connection>();
  server.on('connection', (socket) => {
    state.requestQueue.acceptHold.connectionAccepted();
    open.set(socket, new Connection(socket, state));
    socket.once('close', () => open.delete(socket));
  });
  const begin: RequestListener = (request, response) => {
    open.get(request.socket)?.begin(request, response);
  };
  server.on('request', begin);
  server.on('checkContinue', continueOnceRead).on('checkContinue', begin);
  // Node emits this event for an Expect other than 100-continue. `checkHead` rejects such a request with 417.
  server.on('checkExpectation', begin);
  server.on('connect', (request, socket) => {
    // Add a listener, because Node has removed its own, and an `error` without one would end the process.
    socket.on('error', () => undefined);
    open.get(socket)?.reject({ _tag: 'MethodNotAllowed', allowed: state.allowedMethods }, request);
  });
  server.on('clientError', (error, socket) => open.get(socket)?.failParsing(error));
  server.on('timeout', (socket: Duplex) => open.get(socket)?.closeInactive());
  return open;
};

const maxUnreadBytes = 268_435_456;

interface ReadProgress {
  readonly socket: Socket;
  readonly readBytes: number;
  /** Time of the last check at which the client had read more than before. */
  readonly since: number;
}

/**
 * Makes a function to call at intervals with all sockets. The function disconnects the clients that have read nothing
 * for the longest time, until unread responses take at most 256 MiB.
 */
const unreadLimit = (): ((sockets: ReadonlyArray<Socket>) => void) => {
  let lastProgress: ReadonlyMap<Socket, ReadProgress> = new Map();
  return (sockets) => {
    const now = performance.now();
    const progress = new Map<Socket, ReadProgress>();
    let unreadBytes = 0;
    for (const socket of sockets.filter(({ writableLength }) => writableLength > 0)) {
      const readBytes = socket.bytesWritten - socket.writableLength;
      const last = lastProgress.get(socket);
      progress.set(socket, last?.readBytes === readBytes ? last : { socket, readBytes, since: now });
      unreadBytes += socket.writableLength;
    }
    lastProgress = progress;
    if (unreadBytes <= maxUnreadBytes) return;
    for (const { socket } of [...progress.values()].sort((one, other) => one.since - other.since)) {
      if (unreadBytes <= maxUnreadBytes) return;
      unreadBytes -= socket.writableLength;
      socket.destroy();
    }
  };
};

const addressOf = (host: string, bound: ReturnType<Server['address']>): string => {
  const port = typeof bound === 'object' && bound !== null ? bound.port : '';
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
};

/**
 * Accepts the connections in the kernel's accept backlog for up to 0.5 s, because closing the server would reset them.
 * The backlog counts as empty after `quietMs` without a connection and then a short tick. During a long tick, new
 * connections could arrive. So the server must close in the tick in which this function returns.
 */
const drainAcceptBacklog = async (server: Server): Promise<void> => {
  let quietSince = performance.now();
  const noteConnection = (): void => {
    quietSince = performance.now();
  };
  server.on('connection', noteConnection);
  const giveUpAt = performance.now() + serverTimeouts.acceptBacklogMs;
  for (;;) {
    const startedAt = performance.now();
    await immediate();
    const now = performance.now();
    const isQuiet =
      now - quietSince >= serverTimeouts.quietMs && now - startedAt < serverTimeouts.quietTickMs;
    if (isQuiet || now > giveUpAt) break;
  }
  server.off('connection', noteConnection);
};

/**
 * Closes idle connections after `idleGraceMs`, and all connections after `closeMs`. A connection that has sent nothing
 * stays open for `firstByteMs`, because the kernel may have received its first request already.
 */
const closeConnections = async (
  server: Server,
  open: ReadonlyMap<Duplex, Connection>,
  idleGraceMs: number,
  closeMs: number,
): Promise<void> => {
  const beganAt = performance.now();
  const closed = once(server, 'close');
  const timer = setInterval(() => {
    const elapsedMs = performance.now() - beganAt;
    for (const { socket, isIdle } of open.values()) {
      const graceMs = socket.bytesRead === 0 ? serverTimeouts.firstByteMs : idleGraceMs;
      if (elapsedMs >= (isIdle ? graceMs : closeMs)) socket.destroy();
    }
  }, serverTimeouts.idleCheckMs);
  await closed;
  // Wait for the last socket, which emits `close` after the server.
  while (open.size > 0) await immediate();
  clearInterval(timer);
};
