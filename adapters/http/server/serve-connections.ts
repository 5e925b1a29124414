import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { methods } from '../protocol/methods';
import { failed } from '../responses/outcome';
import { type Connection, enqueue, isOver, openConnection } from './connection';
import { cutStalledReaders } from './cut-stalled-readers';
import type { Exchanges } from './exchanges';
import { isMalformedHead, type ParserError, parserFailure } from './parser-failure';
import { responseOnSocket, unparsedMessage } from './response-on-socket';

/** How often they are looked for, in milliseconds. */
const intervals = { deadlines: 100, stalledReaders: 1_000 };

/** In milliseconds: how long a connection may be without a request. */
const idleTimeout = 65_000;

/** Has the requests that arrive at a server served in their turns, and looks after its connections. */
export const serveConnections = (server: Server, { begin, reject, decide, expire }: Exchanges) => {
  const connections = new Map<Duplex, Connection>();
  let accepted = 0;
  server.on('connection', (socket) => {
    accepted += 1;
    connections.set(socket, openConnection(socket));
    socket.once('close', () => connections.delete(socket));
  });

  const receive: RequestListener = (message, response) => {
    const connection = connections.get(message.socket);
    if (connection === undefined) return;
    enqueue(connection, () => {
      const failure = message.complete ? undefined : connection.parserFailure;
      if (failure !== undefined) reject(connection, message, response, failure);
      else begin(connection, message, response);
    });
  };
  server.on('request', receive);
  server.on('checkContinue', receive);
  server.on('checkExpectation', receive);

  server.on('connect', (message) => {
    const { socket } = message;
    const connection = connections.get(socket);
    if (connection === undefined) return;
    // Node has let go of the connection: without a listener its reset would end the process.
    socket.on('error', () => undefined);
    enqueue(connection, () => {
      reject(connection, message, responseOnSocket(message), {
        _tag: 'MethodNotAllowed',
        allowed: methods,
      });
    });
  });

  server.on('clientError', (error: ParserError, duplex) => {
    const connection = connections.get(duplex);
    // The parser reports each further chunk of a malformed request anew.
    if (connection === undefined || connection.parserFailure !== undefined) return;
    if (isOver(connection)) return;
    const { socket, current, drained } = connection;
    const failure = parserFailure(error);
    connection.parserFailure = failure;
    const isOfCurrent = current?.message.complete === false;
    if (drained?.complete === false || (isOfCurrent && current.outcome !== undefined)) {
      // The request has had its response.
      socket.destroy();
    } else if (isOfCurrent) {
      // Its body is malformed, or does not come.
      current.response.shouldKeepAlive = false;
      decide(current, failed(failure));
    } else {
      enqueue(connection, () => {
        const message = unparsedMessage(socket, isMalformedHead(error) ? 'HEAD' : 'GET');
        reject(connection, message, responseOnSocket(message), failure);
      });
    }
  });

  const lookForDeadlines = setInterval(() => {
    const now = performance.now();
    for (const { socket, current, idleSince } of connections.values()) {
      if (current !== undefined) {
        if (current.outcome === undefined && current.deadline < now) expire(current);
      } else if (idleSince < now - idleTimeout) {
        // Bytes now and then, and empty lines, are no request: they prolong nothing.
        socket.destroy();
      }
    }
  }, intervals.deadlines).unref();

  const cutStalled = cutStalledReaders();
  const lookForStalledReaders = setInterval(() => {
    cutStalled(
      [...connections.values()].flatMap(({ current }) =>
        current?.outcome === undefined
          ? []
          : { response: current.response, body: current.outcome.response.body },
      ),
    );
  }, intervals.stalledReaders).unref();

  return {
    /** Of those that are not closed, or whose exchanges are not reported yet. */
    sockets: (): ReadonlyArray<Socket> => [...connections.values()].map(({ socket }) => socket),
    /** Whether there is a response that perhaps is not taken in full. */
    isWriting: (): boolean => [...connections.values()].some(({ current }) => current?.outcome !== undefined),
    /** How many there have been. */
    accepted: (): number => accepted,
    stop: (): void => {
      clearInterval(lookForDeadlines);
      clearInterval(lookForStalledReaders);
    },
  };
};
