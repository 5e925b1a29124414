import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises';
import type { Reporter } from '../observability/reporter';
import { maxHeadSize } from '../protocol/limits';
import type { Application } from '../responses/outcome';
import { acceptFirst } from './accept-first';
import { admissionControl } from './admission-control';
import { allowHalfOpen } from './allow-half-open';
import { exchanges } from './exchanges';
import { serveConnections } from './serve-connections';
import { responseWriter } from './write-response';

interface Options {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Requests that are worked on at once; the next wait their turn. */
  readonly maxInFlight: number;
  /** In milliseconds: who would have to wait for longer is refused at once, with 503. */
  readonly maxWait: number;
  readonly reporter: Reporter;
  /** The origins whose pages may read responses, `*` for any. Without one CORS is off. */
  readonly corsOrigins?: ReadonlyArray<string>;
  /** How many proxies stand in front whose word on the client's address is taken. */
  readonly trustedProxies?: number;
}

/** A server that listens. */
export interface HttpServer {
  /** Where it listens, as in `http://127.0.0.1:3000`. */
  readonly address: string;
  /**
   * Ends each connection with its next response; after the delay (in milliseconds, for load balancers to notice)
   * takes no more connections, answers what was received, and cuts off what is left in the end.
   */
  readonly stop: (delay: number) => Promise<void>;
}

/** In milliseconds. */
const timeouts = {
  headers: 10_000,
  request: 20_000,
  stopping: 10_000,
  backlogDrain: 1_000,
  firstByte: 200,
};

/**
 * Connections that may wait to be accepted; the kernel has a bound of its own (`net.core.somaxconn`). Of a crowd past Node's
 * 511 each waits a second and more to try again.
 */
const backlog = 65_535;

/** In milliseconds: how often idle connections are looked for while the server stops. */
const idleCheckInterval = 20;

/** Closes the door alone: the server's own method closes connections as well. */
const stopListening = (server: Server): void => {
  NetServer.prototype.close.call(server);
};

const addressOf = (host: string, bound: ReturnType<Server['address']>): string => {
  const port = typeof bound === 'object' && bound !== null ? bound.port : '';
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
};

/** Serves an application over HTTP/1.1; rejects when the port can't be had. */
export const startHttpServer = async (
  application: Application,
  { host, port, maxInFlight, maxWait, reporter, corsOrigins = [], trustedProxies = 0 }: Options,
): Promise<HttpServer> => {
  const server = createServer({
    maxHeaderSize: maxHeadSize,
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    // Node's own would set a timer anew twice a request; one look at all connections does.
    keepAliveTimeout: 0,
    connectionsCheckingInterval: 1_000,
    // Without it the response to a missing Host has no body; the application looks instead.
    requireHostHeader: false,
  });
  // Without it Node drops all headers past the thousandth, a second Authorization among them.
  server.maxHeadersCount = 0;
  allowHalfOpen(server);

  const admission = admissionControl(maxInFlight, maxWait);
  server.on('connection', acceptFirst(admission));

  server.listen({ port, host, backlog });
  await once(server, 'listening');

  let stopping = false;
  const connections = serveConnections(
    server,
    exchanges({
      application,
      admission,
      writeResponse: responseWriter(corsOrigins, () => stopping),
      reporter,
      trustedProxies,
      isStopping: () => stopping,
    }),
  );

  // The kernel resets the connections that wait to be accepted when the server closes.
  const drainAcceptBacklog = async (): Promise<void> => {
    const giveUp = performance.now() + timeouts.backlogDrain;
    let before: number;
    do {
      before = connections.accepted();
      await immediate();
    } while (connections.accepted() > before && performance.now() < giveUp);
  };

  // A connection that could not be accepted, as when descriptors run out: the others go on.
  server.on('error', () => undefined);
  return {
    address: addressOf(host, server.address()),
    stop: async (delay) => {
      stopping = true;
      await pause(delay);
      await drainAcceptBacklog();
      const closed = once(server, 'close');
      stopListening(server);
      const closeIdle = setInterval(() => {
        // Node would cut off a response that is ended and not taken yet.
        if (!connections.isWriting()) server.closeIdleConnections();
      }, idleCheckInterval);
      // Node takes a connection that has not said a word for a busy one. Its first bytes may be in the kernel.
      const closeSilent = setTimeout(() => {
        for (const socket of connections.sockets()) {
          if (socket.bytesRead === 0) socket.destroy();
        }
      }, timeouts.firstByte);
      const forceClose = setTimeout(() => {
        // Those too that Node has let go of, as at a CONNECT.
        for (const socket of connections.sockets()) socket.destroy();
      }, timeouts.stopping);
      await closed;
      // The server is closed a moment before the last of its sockets says that it is.
      while (connections.sockets().length > 0) await immediate();
      connections.stop();
      // Its own method as well: it clears the interval that looks for late requests, which would keep the server in memory.
      server.close();
      clearInterval(closeIdle);
      clearTimeout(closeSilent);
      clearTimeout(forceClose);
    },
  };
};
