import type { IncomingMessage, ServerResponse } from 'node:http';

/** A listener of `http.createServer`, such as the callback of Koa, an Express application or the handler of Fastify. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

export interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  /**
   * Maximum number of concurrent safe requests (RFC 9110, section 9.2.1). The same limit applies separately to all
   * other requests. Requests above a limit are queued.
   */
  readonly maxInFlight: number;
  /** Maximum time in the queue. A request that would wait longer is rejected at once, as Overloaded. */
  readonly maxWaitMs: number;
  /**
   * Makes the response for a failure. The server adds Content-Length, Connection and Date, and omits the body for a
   * HEAD.
   */
  readonly errorResponse: (failure: ServerFailure, request: IncomingMessage) => ErrorResponse;
  readonly isAlwaysAdmitted?: (request: IncomingMessage) => boolean;
  readonly observer?: ExchangeObserver;
}

/** A failure that the server answers itself: the listener did not see the request, or did not answer in time. */
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
  /** The method is CONNECT. `allowed` is empty, since the server does not know the methods of the listener. */
  | { readonly _tag: 'MethodNotAllowed'; readonly allowed: ReadonlyArray<string> };

export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ExchangeObserver {
  /** Called when a request is admitted or queued. Either the listener or `requestShed` is called later. */
  readonly requestStarted?: () => void;
  readonly requestShed?: (shed: ShedRequest) => void;
}

export interface ShedRequest {
  readonly request: IncomingMessage;
  /** Status of the response, or 499 if the client left before it. */
  readonly status: number;
  readonly failure: ServerFailure | undefined;
  readonly wasStarted: boolean;
}
