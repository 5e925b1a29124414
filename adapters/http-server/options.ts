import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Request listener that create-http-server.ts serves, as for `http.createServer`: the callback of Koa, an Express
 * application or the handler of Fastify.
 */
export type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

export interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  /**
   * Maximum number of concurrent safe requests (RFC 9110, section 9.2.1). The same limit applies separately to all
   * other requests. Requests above a limit are queued.
   */
  readonly maxInFlight: number;
  /** Maximum time in the queue. A request that would wait longer is rejected at once, as `Overloaded`. */
  readonly maxWaitMs: number;
  /**
   * Makes the response to a failure. The server adds Content-Length, Connection and Date, and omits the body if the
   * request is a HEAD.
   */
  readonly errorResponse: (failure: ServerFailure, request: IncomingMessage) => ErrorResponse;
  readonly isAlwaysAdmitted?: (request: IncomingMessage) => boolean;
  readonly observer?: ExchangeObserver;
}

/**
 * Failure that the server answers itself, because the request listener did not get the request or did not answer in
 * time. A CONNECT request gets MethodNotAllowed. Its `allowed` is empty, because the server does not know the methods
 * of the request listener.
 */
export type ServerFailure =
  | { readonly _tag: 'MalformedRequest'; readonly reason: string }
  | {
      readonly _tag:
        | 'HeadersTooLarge'
        | 'HttpVersionNotSupported'
        | 'RequestTimeout'
        | 'ExpectationFailed'
        | 'Overloaded'
        | 'DeadlineExceeded';
    }
  | { readonly _tag: 'PayloadTooLarge'; readonly hasLongChunkExtensions?: true }
  | { readonly _tag: 'MethodNotAllowed'; readonly allowed: ReadonlyArray<string> };

export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ExchangeObserver {
  /** Called when a request is admitted or queued. Later, either the request listener or `requestShed` is called. */
  readonly requestStarted?: () => void;
  readonly requestShed?: (shed: ShedRequest) => void;
}

export interface ShedRequest {
  readonly request: IncomingMessage;
  /** Status of the response, or 499 if the client disconnected before the response. */
  readonly status: number;
  readonly failure: ServerFailure | undefined;
  readonly wasStarted: boolean;
}
