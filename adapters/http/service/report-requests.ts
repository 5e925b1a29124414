import type { KeyId, OwnerId } from '../../../core';
import { type Middleware, recordOf } from '../koa';
import { describeFailure, type UnauthorizedReason } from '../operations/errors';
import type { RequestRecord } from '../operations/request-record';
import type { RequestHead } from '../server/rejection';
import { clientAddressOf } from './forwarded';

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
  readonly requestFailed: (cause: unknown, requestId: string) => void;
}

const clientClosedRequest = 499;

const maxPathLength = 1_000;

/** Records of the requests that the application has received, until their responses have ended. */
const unanswered = new Map<RequestHead, RequestRecord>();

/** Returns the record of a request that the application has received, otherwise undefined. */
export const findRecord = (request: RequestHead): RequestRecord | undefined => unanswered.get(request);

/** Reports each request when its response has ended, or its client has left. */
export const reportRequests =
  (reporter: Reporter, trustedProxies: number): Middleware =>
  (context, next) => {
    const { req: request, res: response, path } = context;
    const record = recordOf(context);
    unanswered.set(request, record);
    // Read the address now, because a closed socket no longer has it.
    const clientAddress = clientAddressOf(request, trustedProxies);
    reporter.requestStarted?.();
    response.on('close', () => {
      unanswered.delete(request);
      const { id, startedAt, route, identity, petId, outcome, serverRejection } = record;
      const failure = serverRejection ?? (outcome?._tag === 'Left' ? outcome.left : undefined);
      const description = failure && describeFailure(failure);
      const unsentStatus = serverRejection && description ? description.status : clientClosedRequest;
      const headers = outcome?._tag === 'Right' ? outcome.right.headers : {};
      reporter.requestEnded({
        method: request.method ?? '',
        path: path.length > maxPathLength ? `${path.slice(0, maxPathLength)}…` : path,
        route,
        status: response.headersSent ? response.statusCode : unsentStatus,
        code: description?.code,
        reason: description?.reason,
        milliseconds: Math.round((performance.now() - startedAt) * 1_000) / 1_000,
        keyId: identity?.caller.keyId ?? (failure?._tag === 'InvalidApiKey' ? failure.keyId : undefined),
        owner: identity?.caller.ownerId,
        petId: petId?.toString(),
        clientAddress,
        requestId: id,
        unknownFields: headers['Unknown-Fields'],
      });
    });
    return next();
  };
