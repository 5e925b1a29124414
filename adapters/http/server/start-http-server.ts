import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises';
import { answerProtocolErrors } from './answer-protocol-errors';
import { boundUnreadAnswers } from './bound-unread-answers';
import { closeQueuedResponses } from './close-queued-responses';
import { discardRest } from '../protocol/discard-rest';
import { maxHeadSize } from '../application/refused-head';
import { refusalHeaders } from './refusal-headers';
import { refuseOverload } from './refuse-overload';
import type { Reporter } from '../observability/reporter';
import { requestsInFlight } from './requests-in-flight';

interface Options {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Requests that are worked on at once; the rest are answered 503 without being looked at. */
  readonly maxInFlight: number;
  readonly reportRefusal: Reporter['refusal'];
  /** The origins whose pages may read what is answered before the application, as its own `corsOrigins`. */
  readonly corsOrigins?: ReadonlyArray<string>;
}

/** A server that listens. */
export interface HttpServer {
  /** Where it listens, as in `http://127.0.0.1:3000`. */
  readonly address: string;
  /**
   * Ends each connection with its next answer; after the delay (in milliseconds, for load balancers to notice)
   * takes no more connections, answers what was received, and cuts off what is left in the end.
   */
  readonly stop: (delay: number) => Promise<void>;
}

/** How often the timeouts are looked at, in milliseconds. */
const checkInterval = 1_000;

/** In milliseconds. */
const timeouts = {
  headers: 10_000,
  request: 20_000,
  exchange: 60_000,
  idle: 65_000,
  stopping: 10_000,
  taking: 1_000,
  firstWord: 200,
};

/** These tell how the service is, most of all when it is overloaded. */
const neverRefused: ReadonlyArray<string | undefined> = ['/livez', '/readyz'];

const addressOf = (host: string, bound: ReturnType<Server['address']>): string => {
  const port = typeof bound === 'object' && bound !== null ? bound.port : '';
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
};

/** Listens for HTTP/1.1; rejects when the port can't be had. */
export const startHttpServer = async (
  listener: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  { host, port, maxInFlight, reportRefusal, corsOrigins = [] }: Options,
): Promise<HttpServer> => {
  const server = createServer({
    maxHeaderSize: maxHeadSize,
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    // Node's own would set a timer anew twice a request; `sweep` looks at all connections once a second.
    keepAliveTimeout: 0,
    connectionsCheckingInterval: checkInterval,
    // Without it the answer to a missing Host has no body; `refusedHead` looks instead.
    requireHostHeader: false,
  });
  // Without it Node drops all headers past the thousandth, a second Authorization among them.
  server.maxHeadersCount = 0;
  const headersFor = refusalHeaders(corsOrigins);
  answerProtocolErrors(server, reportRefusal, headersFor);
  closeQueuedResponses(server);

  let stopping = false;
  /** With when each was made, or last seen with a request. */
  const connections = new Map<Socket, number>();
  const inFlight = requestsInFlight(maxInFlight);
  const watchUnread = boundUnreadAnswers();
  const ending = new WeakSet<Socket>();
  const receive: RequestListener = (request, response) => {
    // What comes behind the last request of a connection is not to be done (RFC 9112, section 9.6).
    if (ending.has(request.socket)) {
      // A close with bytes that were not read would take the answer from its reader.
      discardRest(request);
      return;
    }
    connections.set(request.socket, performance.now());
    if (stopping) response.setHeader('Connection', 'close');
    watchUnread(response);
    if (inFlight.take(response) || neverRefused.includes(request.url)) {
      // Only where a failure can't even be reported: that is no reason to end the process.
      listener(request, response).catch(() => response.destroy());
    } else reportRefusal(refuseOverload(request, response, headersFor(request)));
    if (!response.shouldKeepAlive || response.getHeader('Connection') === 'close') ending.add(request.socket);
  };
  server.on('request', receive);
  server.on('checkContinue', receive);
  server.on('checkExpectation', receive);

  // Bytes now and then, and empty lines, are no request: they prolong nothing.
  const sweep = setInterval(() => {
    const now = performance.now();
    for (const { response, began } of inFlight.all()) {
      const { socket } = response.req;
      if (began < now - timeouts.exchange) response.destroy();
      else if (connections.has(socket)) connections.set(socket, now);
    }
    for (const [socket, lastBusy] of connections) {
      if (lastBusy < now - timeouts.idle) socket.destroy();
    }
  }, checkInterval).unref();

  let taken = 0;
  server.on('connection', (socket) => {
    taken += 1;
    connections.set(socket, performance.now());
    socket.once('close', () => connections.delete(socket));
  });

  // The kernel resets the connections that wait to be taken when the server closes.
  const untilNoneWaits = async (): Promise<void> => {
    const giveUp = performance.now() + timeouts.taking;
    let before: number;
    do {
      before = taken;
      await immediate();
    } while (taken > before && performance.now() < giveUp);
  };

  server.listen(port, host);
  await once(server, 'listening');
  // A connection that could not be accepted, as when descriptors run out: the others go on.
  server.on('error', () => undefined);
  return {
    address: addressOf(host, server.address()),
    stop: async (delay) => {
      stopping = true;
      for (const { response } of inFlight.all()) {
        if (!response.headersSent) response.setHeader('Connection', 'close');
      }
      await pause(delay);
      await untilNoneWaits();
      const closed = once(server, 'close');
      server.close();
      // Node takes a connection that has not said a word for a busy one; what it said may be about to be read.
      const hangUp = setTimeout(() => {
        for (const socket of connections.keys()) {
          if (socket.bytesRead === 0) socket.destroy();
        }
      }, timeouts.firstWord);
      const cutOff = setTimeout(() => {
        // Those too that Node has let go of, as at a CONNECT.
        for (const socket of connections.keys()) socket.destroy();
      }, timeouts.stopping);
      await closed;
      clearInterval(sweep);
      clearTimeout(hangUp);
      clearTimeout(cutOff);
    },
  };
};
