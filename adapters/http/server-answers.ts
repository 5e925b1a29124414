import type { IncomingMessage } from 'node:http';
import type Koa from 'koa';
import type { Headers, Route } from './context';
import { causeOf, describeFailure, errorBodyText, type HttpFailure } from './errors';
import { corsHeaders, requestIdOf, securityHeaders } from './middleware';
import { isHealthCheck } from './public-routes';
import { petMethods } from './operations';
import { clientAddressOf, recordRequest, type Reporter } from './access-log';
import { jsonType, recordFailure } from './respond';
import { deprecationHeaders } from './routing';

interface ErrorResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

interface ShedRequest {
  readonly request: IncomingMessage;
  /** 499 if the client left before it was answered. */
  readonly status: number;
  /** True if `requestStarted` was called for it. */
  readonly wasStarted: boolean;
}

export interface ServerAnswers {
  readonly errorResponse: (failure: HttpFailure, request: IncomingMessage) => ErrorResponse;
  readonly isAlwaysAdmitted: (request: IncomingMessage) => boolean;
  readonly observer: {
    readonly requestStarted: () => void;
    readonly requestShed: (shed: ShedRequest) => void;
  };
}

export interface HttpApplication extends ServerAnswers {
  readonly app: Koa;
}

interface Options {
  readonly reporter: Reporter;
  readonly corsOrigins: ReadonlyArray<string>;
  readonly trustedProxies: number;
  readonly routeOf: (method: string, path: string) => Route | undefined;
  readonly arrivedAt?: ((request: IncomingMessage) => number | undefined) | undefined;
}

const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1).join();

/** Adds the methods of the operations, which the server does not know, to its refusal of CONNECT. */
const withMethods = (failure: HttpFailure): HttpFailure =>
  failure._tag === 'MethodNotAllowed' && failure.allowed.length === 0
    ? { ...failure, allowed: petMethods }
    : failure;

export const serverAnswers = (options: Options): ServerAnswers => {
  const { reporter, corsOrigins, trustedProxies, routeOf, arrivedAt } = options;

  const errorResponse = (serverFailure: HttpFailure, request: IncomingMessage): ErrorResponse => {
    const failure = withMethods(serverFailure);
    recordFailure(request, failure);
    const requestId = requestIdOf(request);
    const cause = causeOf(failure);
    if (cause !== undefined) reporter.error(cause, requestId);
    const { deprecation } = routeOf(request.method ?? '', pathOf(request)) ?? {};
    const description = describeFailure(failure);
    const headers = {
      'X-Request-Id': requestId,
      ...securityHeaders,
      ...corsHeaders(corsOrigins, request.headers.origin),
      ...(deprecation === undefined ? {} : deprecationHeaders(deprecation)),
      ...description.headers,
      'Content-Type': jsonType,
    };
    return { status: description.status, headers, body: errorBodyText(description) };
  };

  const requestShed = ({ request, status, wasStarted }: ShedRequest): void => {
    const clientAddress = clientAddressOf(request, trustedProxies);
    const record = recordRequest({
      request,
      status,
      arrivedAt: arrivedAt?.(request) ?? performance.now(),
      path: pathOf(request),
      clientAddress,
    });
    const { requestId, code, trace } = record;
    if (wasStarted) reporter.requestEnded(record);
    else reporter.requestRejected({ requestId, status, code, trace, clientAddress });
  };

  return {
    errorResponse,
    isAlwaysAdmitted: (request) => isHealthCheck(pathOf(request)),
    observer: { requestStarted: () => reporter.requestStarted?.(), requestShed },
  };
};
