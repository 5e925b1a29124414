import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RejectRequest } from './rejection';
import type { RequestQueue } from './request-queue';

/** Request listener, such as the callback of a Koa application. If it throws or rejects, the connection is closed. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

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
