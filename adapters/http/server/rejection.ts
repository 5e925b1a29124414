import type { IncomingMessage } from 'node:http';
import type { ServerFailure } from '../message/failures';

/** Head of a request. `headers` and `url` are empty if the HTTP server could not parse the request. */
export type RequestHead = Pick<IncomingMessage, 'headers' | 'method' | 'url' | 'socket'>;

/** Response to a request that the server rejects. */
export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Reports a request that the server rejects, and makes its response. The server adds Content-Length, Connection and
 * Date.
 */
export type RejectRequest = (failure: ServerFailure, request: RequestHead) => ErrorResponse;
