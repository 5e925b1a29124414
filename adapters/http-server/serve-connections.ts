import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Connection } from './connection';
import { checkBodiesEveryBytes, closeStalledConnections, shedBodies } from './memory-limits';
import { allowHalfOpen, rememberRemoteAddress, unparsedRequest } from './node-internals';
import type { ServerFailure } from './options';
import type { HeldBytes } from './received-bytes';
import { ServedRequest } from './request-functions';
import { Exchange, type ExchangeContext } from './request-lifecycle';
import { serverTimeouts } from '../../core/timeouts';
import {
  isMalformedHeadRequest,
  keptHeaders,
  maxHeadBytes,
  type ParserError,
  parserFailure,
} from './validate-request';
import { ExchangeResponse } from './write-response';

export const createNodeServer = () => {
  const server = createServer<typeof ServedRequest, typeof ExchangeResponse>({
    IncomingMessage: ServedRequest,
    ServerResponse: ExchangeResponse,
    maxHeaderSize: maxHeadBytes,
    headersTimeout: serverTimeouts.headersMs,
    requestTimeout: serverTimeouts.requestMs,
    // `Connection.sweep` closes idle connections instead of Node, whose timeout would set two timers for each request.
    // `validateRequest` checks Host instead of Node, whose rejection has no body.
    keepAliveTimeout: 0,
    requireHostHeader: false,
    connectionsCheckingInterval: 1_000,
  });
  server.maxHeadersCount = keptHeaders;
  allowHalfOpen(server);
  return server;
};

export type NodeServer = ReturnType<typeof createNodeServer>;

/**
 * Makes a Connection for each socket and an Exchange for each request, and checks their time and memory limits.
 * `startHttpServer` of create-http-server.ts calls it.
 */
export const serveConnections = (server: NodeServer, context: ExchangeContext) => {
  const open = new Map<Duplex, Connection<Exchange>>();
  const held: HeldBytes = { total: 0 };
  let accepted = 0;
  let receivedSinceCheck = 0;

  const limitBodies = (): void => {
    receivedSinceCheck = 0;
    shedBodies(open.values());
  };
  const countReceived = (bytes: number): void => {
    receivedSinceCheck += bytes;
    if (receivedSinceCheck > checkBodiesEveryBytes) limitBodies();
  };

  server.on('connection', (socket: Socket) => {
    accepted += 1;
    rememberRemoteAddress(socket);
    const connection = new Connection<Exchange>(socket, held, countReceived);
    open.set(socket, connection);
    socket.once('close', () => {
      connection.closed();
      open.delete(socket);
    });
  });

  const receive = (request: ServedRequest, response: ExchangeResponse): void => {
    const connection = open.get(request.socket);
    if (connection === undefined || connection.isClosed) return;
    connection.enqueue(new Exchange(connection, context, request, response));
  };
  server.on('request', receive);
  server.on('checkContinue', receive);
  server.on('checkExpectation', receive);

  const reject = (connection: Connection<Exchange>, request: ServedRequest, failure: ServerFailure): void => {
    const response = new ExchangeResponse(request);
    connection.enqueue(new Exchange(connection, context, request, response, failure));
    connection.startNext();
  };

  server.on('connect', (request) => {
    const connection = open.get(request.socket);
    if (connection === undefined) return;
    // Node removes its listeners from the socket of a CONNECT. Without a listener for `error`, a connection reset would
    // end the process.
    request.socket.on('error', () => undefined);
    const failure: ServerFailure = { _tag: 'MethodNotAllowed', allowed: [] };
    connection.parserFailure = failure;
    request.complete = true;
    reject(connection, request, failure);
  });

  server.on('clientError', (error: ParserError, socket) => {
    const connection = open.get(socket);
    // Ignore further errors, because Node may report the same malformed request again for each packet.
    if (connection === undefined || connection.parserFailure !== undefined) return;
    if (!connection.socket.writable) return;
    // A client may open a connection before it has a request. Such a client would take a 408 as the response to its
    // first request.
    if (connection.socket.bytesRead === 0) {
      connection.socket.destroy();
      return;
    }
    const failure = parserFailure(error);
    connection.failParsing(failure);
    if (!connection.isClosing && !connection.received.isBodyComing) {
      const method = isMalformedHeadRequest(error) ? 'HEAD' : 'GET';
      reject(connection, unparsedRequest(connection.socket, method), failure);
    }
  });

  let sweptAt = performance.now();
  let stallsSweptAt = sweptAt;
  const closeStalled = closeStalledConnections();
  const sweep = setInterval(() => {
    const now = performance.now();
    for (const connection of open.values()) {
      connection.current?.sweep(now, now - sweptAt);
      connection.sweep(now);
    }
    for (const exchange of context.abandoned) if (exchange.deadline < now) exchange.releaseSlot();
    sweptAt = now;
    limitBodies();
    if (now - stallsSweptAt < serverTimeouts.stallSweepMs) return;
    stallsSweptAt = now;
    closeStalled(
      [...open.values()].flatMap(({ socket, current }) =>
        current?.state === 'responding' ? [{ socket, body: current.response.unreadBody }] : [],
      ),
    );
  }, serverTimeouts.sweepMs).unref();

  return {
    open,
    accepted: (): number => accepted,
    stopSweep: (): void => {
      clearInterval(sweep);
    },
  };
};
