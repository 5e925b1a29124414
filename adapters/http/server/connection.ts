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
  deadline: number;
  /** What it came to, once that is decided. */
  outcome: Outcome | undefined;
  /** Whether it is one of those that are worked on. */
  isInFlight: boolean;
  /** Whether its client was told to send its body. */
  isContinued: boolean;
  /** Whether it was answered before the application saw it. */
  isRejected: boolean;
}

export const idOf = (exchange: Exchange): string => (exchange.id ??= requestId(exchange.message));

/** What waits on a connection until all before it are over. It looks for itself whether the connection is over. */
type Turn = () => void;

/** One client's connection, on which one exchange goes on at a time: a later request may depend on an earlier one. */
export interface Connection {
  readonly socket: Socket;
  /** That of the client, or of the nearest proxy. */
  readonly address: string | undefined;
  /** The exchange that goes on. */
  current: Exchange | undefined;
  readonly waiting: Array<Turn>;
  /** Whether its last response is written or on its way: what follows is read, and not done (RFC 9112, section 9.6). */
  isEnding: boolean;
  /** Whether `waiting` has just grown, so that no more is to be read. */
  isPausing: boolean;
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
  isPausing: false,
  drained: undefined,
  parserFailure: undefined,
  idleSince: performance.now(),
});

/** Whether nothing more is answered: Node ends some connections by itself, as HTTP/1.0 after a response without length. */
export const isOver = ({ isEnding, socket }: Connection): boolean => isEnding || !socket.writable;

/** What was parsed already waits here, the rest in the kernel: Node resumes a socket at the end of each request in a packet. */
const pauseAfterPacket = (connection: Connection): void => {
  if (connection.isPausing) return;
  connection.isPausing = true;
  setImmediate(() => {
    connection.isPausing = false;
    if (connection.waiting.length > 0) connection.socket.pause();
  });
};

/** Has something done now, or once all exchanges before it are over. */
export const enqueue = (connection: Connection, turn: Turn): void => {
  if (connection.current === undefined || isOver(connection)) {
    turn();
    return;
  }
  connection.waiting.push(turn);
  pauseAfterPacket(connection);
};

/** Goes on after the exchange that is over. */
export const dequeue = (connection: Connection): void => {
  const message = connection.current?.message;
  connection.drained = message?.complete === false ? message : undefined;
  connection.current = undefined;
  connection.idleSince = performance.now();
  if (connection.socket.destroyed) return;
  connection.waiting.shift()?.();
  if (connection.waiting.length === 0) connection.socket.resume();
};

/** Has no further exchange begin. A close with bytes that were not read would take the last response from its reader. */
export const endConnection = (connection: Connection): void => {
  connection.isEnding = true;
  for (const turn of connection.waiting.splice(0)) turn();
  connection.socket.resume();
};

/** For a connection whose client was told before a stop that it may be used again. */
export const endIfIdle = ({ current, socket }: Connection): void => {
  if (current === undefined) socket.end();
};
