import { jsonType } from './context';
import {
  causeOf,
  describeFailure,
  errorBodyText,
  type HttpFailure,
  recordServerFailure,
  type RequestHead,
} from './errors';
import { corsHeaders, requestIdOf, securityHeaders } from './middleware';
import { recordRejection, type Reporter } from './access-log';

interface Options {
  readonly reporter: Reporter;
  readonly corsOrigins: ReadonlyArray<string>;
  readonly trustedProxies: number;
  readonly methods: ReadonlyArray<string>;
}

/**
 * Returns callbacks for the HTTP server, such as `errorResponse`. app.ts returns them with each Koa application, and
 * app/serve/serve.ts passes them to `startHttpServer`.
 */
export const serverOptions = ({ reporter, corsOrigins, trustedProxies, methods }: Options) => {
  const errorResponse = (serverFailure: HttpFailure, request: RequestHead) => {
    const failure: HttpFailure =
      serverFailure._tag === 'MethodNotAllowed' && serverFailure.allowed.length === 0
        ? { ...serverFailure, allowed: methods }
        : serverFailure;
    recordServerFailure(request, failure);
    const requestId = requestIdOf(request);
    const cause = causeOf(failure);
    if (cause !== undefined) reporter.error(cause, requestId);
    const description = describeFailure(failure);
    const headers = {
      'X-Request-Id': requestId,
      ...securityHeaders,
      ...corsHeaders(corsOrigins, request.headers.origin),
      ...description.headers,
      'Content-Type': jsonType,
    };
    return { status: description.status, headers, body: errorBodyText(description) };
  };

  const onRejected = (request: RequestHead, status: number): void => {
    reporter.requestRejected(recordRejection(request, status, trustedProxies));
  };

  return { errorResponse, onRejected };
};
