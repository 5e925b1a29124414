import type { KeyId, OwnerId } from '../../core';
import type { UnauthorizedReason } from './errors';

/** Log entry of a request that the HTTP server rejected. No entry contains an API key, a query or a body. */
export interface RejectionEntry {
  readonly requestId: string;
  readonly status: number;
  readonly code: string | undefined;
  readonly clientAddress: string | undefined;
}

/** Log entry of a request that the application received. */
export interface RequestEntry extends RejectionEntry {
  readonly method: string;
  readonly path: string;
  readonly route: string | undefined;
  readonly reason: UnauthorizedReason | undefined;
  readonly milliseconds: number;
  readonly keyId: KeyId | undefined;
  readonly owner: OwnerId | undefined;
  /** Id of the animal that a create added, or returned again to a retry. */
  readonly petId: string | undefined;
  /** Value of the response header `Unknown-Fields`. The client chose the names, so log them only at level debug. */
  readonly unknownFields: string | undefined;
}

/**
 * Callbacks, which must not throw. For one request, either `requestStarted` and `requestEnded` are called, or only
 * `requestRejected`, if the HTTP server rejects the request before the application receives it.
 */
export interface Reporter {
  readonly requestStarted?: () => void;
  readonly requestEnded: (entry: RequestEntry) => void;
  readonly requestRejected: (entry: RejectionEntry) => void;
  /** Receives the well-formed origin of a CORS preflight request that `corsOrigins` does not allow. */
  readonly preflightRejected?: (origin: string) => void;
  readonly error: (cause: unknown, requestId: string) => void;
}
