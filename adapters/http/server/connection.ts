import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpRequest } from '../protocol/http-request';
import { requestId } from '../protocol/request-id';
import type { HttpFailure } from '../responses/http-failures';
import type { Outcome } from '../responses/outcome';

/** One request and its response, from its head to the last byte that its client takes. */
export interface Exchange extends HttpRequest {
  /** As in the log and in `X-Request-Id`; `idOf` makes it, once it is needed: who waits is to hold little. */
  id: string | undefined;
  readonly response: ServerResponse;
  readonly connection: Connection;
  /** The request target, as it came. */
  readonly target: string;
  /** By `performance.now()`. */
  readonly began: number;
  /** When the response had gone out, where its connection is read on after that. */
  ended: number | undefined;
  deadline: number;
  /** What it came to, once that is decided. */
  outcome: Outcome | undefined;
  /** Whether it is one of those that are worked on. */
  isInFlight: boolean;
  /** Whether its client was told to send its body. */
  isContinued: boolean;
  /** Whether the service is overloaded, and it will be told so. */
  isRefused: boolean;
  /** Whether it was answered before the application saw it. */
  isRejected: boolean;
}

export const idOf = (exchange: Exchange): string => (exchange.id ??= requestId(exchange.message));

/** One client's connection, on which one exchange goes on at a time: a later request may depend on an earlier one. */
export interface Connection {
  readonly socket: Socket;
  /** That of the client, or of the nearest proxy. */
  readonly address: string | undefined;
  /** The exchange that goes on. */
  current: Exchange | undefined;
  /** What waits until all before it are over. */
  readonly waiting: Array<() => void>;
  /** Whether its last response is written or on its way: what follows is read, and not done (RFC 9112, section 9.6). */
  isEnding: boolean;
  /** The request of the exchange before, where its body is still coming and drained. */
  drained: IncomingMessage | undefined;
  /** What the parser has met after all that waits: nothing more can be understood. */
  parserFailure: HttpFailure | undefined;
  /** By `performance.now()`: when it was made, or its last exchange ended. */
  idleSince: number;
}

export const openConnection = (socket: Socket): Connection => ({
  socket,
  address: socket.remoteAddress,
  current: undefined,
  waiting: [],
  isEnding: false,
  drained: undefined,
  parserFailure: undefined,
  idleSince: performance.now(),
});

/** Whether nothing more is answered: Node ends some connections by itself, as HTTP/1.0 after a response without length. */
export const isOver = ({ isEnding, socket }: Connection): boolean => isEnding || !socket.writable;

/**
 * What was parsed already waits here, the rest in the kernel. Not at once: Node resumes a socket at the end of each request
 * in a packet, of 64 kB at most. Nor a turn later: Node reads up to 32 packets in one.
 */
const pauseWhileWaiting = ({ socket, waiting }: Connection): void => {
  if (waiting.length > 0) socket.pause();
};

/** Has something done now, or once all exchanges before it are over; never where the connection is over. */
export const enqueue = (connection: Connection, turn: () => void): void => {
  if (isOver(connection)) return;
  if (connection.current === undefined) {
    turn();
    return;
  }
  connection.waiting.push(turn);
  process.nextTick(pauseWhileWaiting, connection);
};

const goOn = (connection: Connection): void => {
  const message = connection.current?.message;
  connection.drained = message?.complete === false ? message : undefined;
  connection.current = undefined;
  connection.idleSince = performance.now();
  if (isOver(connection)) return;
  connection.waiting.shift()?.();
  if (connection.waiting.length === 0) connection.socket.resume();
};

/** Goes on after the exchange that is over: where others wait, a turn of the event loop later, which is that of other clients. */
export const dequeue = (connection: Connection): void => {
  if (connection.waiting.length > 0) setImmediate(goOn, connection);
  else goOn(connection);
};

const ignore = (): void => undefined;

/**
 * Has no further exchange begin. What still comes is read, since a close with bytes that were not read would take the last
 * response from its reader; it is not parsed, since Node keeps all requests of a connection until it closes.
 */
export const endConnection = (connection: Connection): void => {
  const { socket, waiting } = connection;
  connection.isEnding = true;
  waiting.length = 0;
  socket.resume();
  // By then it is resumed: without its parser Node does not resume what the parser has paused.
  process.nextTick(() => socket.removeAllListeners('data').on('data', ignore));
};

/** For a connection whose client was told before a stop that it may be used again. */
export const endIfIdle = ({ current, socket }: Connection): void => {
  if (current === undefined) socket.end();
};
