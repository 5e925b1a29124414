import * as E from 'fp-ts/Either';
import Koa from 'koa';
import type { KeyId, OpenAnimalStore, OwnerId } from '../../../core';
import {
  addPetRoutes,
  type Context,
  type Middleware,
  type RecordedRequest,
  recordOf,
  writeOutcome,
} from '../koa';
import { drainBody } from '../message/request';
import { describeFailure, type UnauthorizedReason } from '../operations/errors';
import { petMethods } from '../operations/pet-operations';
import { failureReply } from '../operations/reply';
import { requestIdOf } from '../operations/request-record';
import { closeAfter } from '../server/connection';
import type { RejectRequest, RequestHead } from '../server/server-state';
import { cors, corsHeaders } from './cors';
import { clientAddressOf } from './forwarded';
import { addAdminRoutes, addPublicRoutes, type CheckReadiness, type ReadMetrics } from './routes';

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

interface ApplicationOptions {
  readonly reporter: Reporter;
  readonly corsOrigins?: ReadonlyArray<string>;
  readonly trustedProxies?: number;
}

interface PublicOptions extends ApplicationOptions {
  readonly openStore: OpenAnimalStore;
  readonly checkReadiness: CheckReadiness;
}

export type HttpApplication = ReturnType<typeof applicationWithoutRoutes>;

/** Makes the application of the public server: operations, pages and health checks. */
export const httpApplication = (options: PublicOptions): HttpApplication => {
  const { reporter, corsOrigins = [], trustedProxies = 0, openStore, checkReadiness } = options;
  const application = applicationWithoutRoutes(options, petMethods);
  const { app } = application;
  app.use(reportRequests(reporter, trustedProxies));
  app.use(cors(corsOrigins, reporter.preflightRejected));
  addPetRoutes(app, openStore);
  addPublicRoutes(app, checkReadiness, trustedProxies);
  return application;
};

/** Makes the application of the admin server: metrics and health checks. */
export const adminApplication = (
  reporter: Reporter,
  checkReadiness: CheckReadiness,
  readMetrics: ReadMetrics,
): HttpApplication => {
  const application = applicationWithoutRoutes({ reporter }, ['GET', 'HEAD']);
  addAdminRoutes(application.app, checkReadiness, readMetrics);
  return application;
};

/** Makes a Koa application without routes, and the function that rejects requests for the HTTP server. */
const applicationWithoutRoutes = (
  { reporter, corsOrigins = [], trustedProxies = 0 }: ApplicationOptions,
  allowedMethods: ReadonlyArray<string>,
) => {
  const app = new Koa();
  // `writeReply` emits the cause of a 500 or 503. Koa also emits the socket error of a client that disconnects. This
  // error is not reported, because clients may disconnect at any time.
  app.on('error', (cause: unknown, context: Context) => {
    if (cause !== context.socket.errored) reporter.requestFailed(cause, recordOf(context).id);
  });
  app.use(completeRequests);

  /**
   * Makes the response to a request that the server rejects. Reports the rejection, or leaves that to `reportRequests`
   * if the application has received the request.
   */
  const rejectRequest: RejectRequest = (
    failure,
    request: RequestHead & Pick<RecordedRequest, 'requestRecord'>,
  ) => {
    const { requestRecord: record } = request;
    const requestId = record?.id ?? requestIdOf(request.headers['x-request-id']);
    if (record === undefined) {
      const { status, code } = describeFailure(failure);
      const clientAddress = clientAddressOf(request, trustedProxies);
      reporter.requestRejected({ requestId, status, code, clientAddress });
    } else record.serverRejection = failure;
    const { status, headers, body } = failureReply(failure);
    return {
      status,
      headers: {
        'X-Request-Id': requestId,
        ...corsHeaders(corsOrigins, request.headers.origin),
        ...headers,
      },
      body: String(body),
    };
  };

  return { app, allowedMethods, rejectRequest };
};

/**
 * Answers 500 if a later middleware throws. Delays every response until the rest of the request's body has arrived, or
 * makes it close the connection. After an early response, a proxy might stop sending the body, and the server would read
 * the proxy's next request as the body.
 */
const completeRequests = async (context: Context, next: () => unknown): Promise<void> => {
  try {
    await next();
  } catch (cause) {
    writeOutcome(context, E.left({ _tag: 'Defect', cause }));
  }
  if (!context.req.complete && !(await drainBody(context.req))) closeAfter(context.res);
};

const clientClosedRequest = 499;

const maxPathLength = 1_000;

/** Reports each request when its response has ended, or its client has left. */
const reportRequests =
  (reporter: Reporter, trustedProxies: number): Middleware =>
  (context, next) => {
    const { req: request, res: response, path } = context;
    const record = recordOf(context);
    // Read the address now, because a closed socket no longer has it.
    const clientAddress = clientAddressOf(request, trustedProxies);
    reporter.requestStarted?.();
    response.on('close', () => {
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
