import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpFailure } from '../operations/errors';
import type { RequestHead } from '../service/forwarded';
import type { RequestTurns } from './request-turns';

/** Response to a request that the server rejects. */
export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Request listener, such as the callback of a Koa application. If it throws or rejects, the connection is closed. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Parts of a server that its connections share. While `isStopping` is true, each response closes its connection. */
export interface ServerState {
  readonly listener: Listener;
  /**
   * Reports a request that the server rejects, and makes its response. The server adds Content-Length, Connection and
   * Date.
   */
  readonly rejectRequest: (failure: HttpFailure, request: RequestHead) => ErrorResponse;
  readonly requestTurns: RequestTurns;
  /** Time after which a silent connection is closed, for the header `Keep-Alive` (RFC 9112, section 9.3). */
  readonly idleSeconds: number;
  isStopping: boolean;
}
