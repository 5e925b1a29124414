import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerFailure } from '../message/failures';
import type { RequestQueue } from './request-queue';

/** Parts of a server that its connections share. While `isStopping` is true, each response closes its connection. */
export interface ServerState {
  readonly listener: Listener;
  readonly rejectRequest: RejectRequest;
  /** Methods that the response to a CONNECT names as allowed. */
  readonly allowedMethods: ReadonlyArray<string>;
  readonly requestQueue: RequestQueue;
  /** Time after which a silent connection is closed, for the header `Keep-Alive` (RFC 9112, section 9.3). */
  readonly idleSeconds: number;
  isStopping: boolean;
}

/** Request listener, such as the callback of a Koa application. If it throws or rejects, the connection is closed. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

/**
 * Reports a request that the server rejects, and makes its response. The server adds Content-Length, Connection and
 * Date.
 */
export type RejectRequest = (failure: ServerFailure, request: RequestHead) => Rejection;

/** Head of a request. `headers` and `url` are empty if the HTTP server could not parse the request. */
export type RequestHead = Pick<IncomingMessage, 'headers' | 'method' | 'url' | 'socket'>;

/** Response to a request that the server rejects. */
export interface Rejection {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
