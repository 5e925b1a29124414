import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpRequest } from '../protocol/http-request';
import type { HttpFailure } from '../responses/http-failures';
import type { Outcome } from '../responses/outcome';

/** One request and its response, from its head to the last byte that its client takes. */
export interface Exchange extends HttpRequest {
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

/** What waits for its turn on a connection. It looks for itself whether the connection is ending. */
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
  /** What the parser has met after all that waits: nothing more can be understood. */
  failure: HttpFailure | undefined;
  /** By `performance.now()`: when it was made, or its last exchange ended. */
  idleSince: number;
}

export const openConnection = (socket: Socket): Connection => ({
  socket,
  address: socket.remoteAddress,
  current: undefined,
  waiting: [],
  isEnding: false,
  failure: undefined,
  idleSince: performance.now(),
});

/** Has something done now, or once all exchanges before it are over. */
export const inTurn = (connection: Connection, turn: Turn): void => {
  if (connection.current === undefined || connection.isEnding) {
    turn();
    return;
  }
  connection.waiting.push(turn);
  // What was parsed already waits here, the rest in the kernel.
  connection.socket.pause();
};

/** Goes on after the exchange that is over. */
export const nextTurn = (connection: Connection): void => {
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
