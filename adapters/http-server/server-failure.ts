import type { IncomingMessage } from 'node:http';

/** A failure that the server answers itself, because the listener never sees the request or is late. */
export type ServerFailure =
  | { readonly _tag: 'MalformedRequest'; readonly reason: string }
  | {
      readonly _tag:
        | 'HeadersTooLarge'
        | 'PayloadTooLarge'
        | 'HttpVersionNotSupported'
        | 'RequestTimeout'
        | 'ExpectationFailed'
        | 'Overloaded'
        | 'DeadlineExceeded';
    }
  /** The method is CONNECT. `allowed` is empty, since the server does not know the methods of the listener. */
  | { readonly _tag: 'MethodNotAllowed'; readonly allowed: ReadonlyArray<string> };

export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ShedRequest {
  readonly request: IncomingMessage;
  /** 499 if the client left before it was answered. */
  readonly status: number;
  readonly failure: ServerFailure | undefined;
  /** True if `requestStarted` was called for it. */
  readonly wasStarted: boolean;
}
