import type { IncomingMessage } from 'node:http';
import { jsonType, type Route } from './context';
import { causeOf, describeFailure, errorBodyText, type HttpFailure, recordFailure } from './errors';
import { corsHeaders, requestIdOf, securityHeaders } from './middleware';
import { clientAddressOf, recordRequest, type Reporter } from './access-log';
import { isHealthCheck } from './operations';
import { deprecationHeaders } from './routing';

interface EndedByServer {
  readonly request: IncomingMessage;
  readonly status: number;
  readonly wasStarted: boolean;
}

interface Options {
  readonly reporter: Reporter;
  readonly corsOrigins: ReadonlyArray<string>;
  readonly trustedProxies: number;
  readonly methods: ReadonlyArray<string>;
  readonly routeOf: (method: string, path: string) => Route | undefined;
  readonly arrivedAt?: ((request: IncomingMessage) => number | undefined) | undefined;
}

const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1).join();

/**
 * Returns callbacks for the HTTP server, such as `errorResponse`. app.ts returns them with each Koa application, and
 * app/serve/serve.ts passes them to `startHttpServer`.
 */
export const serverOptions = ({
  reporter,
  corsOrigins,
  trustedProxies,
  methods,
  routeOf,
  arrivedAt,
}: Options) => {
  const errorResponse = (serverFailure: HttpFailure, request: IncomingMessage) => {
    const failure: HttpFailure =
      serverFailure._tag === 'MethodNotAllowed' && serverFailure.allowed.length === 0
        ? { ...serverFailure, allowed: methods }
        : serverFailure;
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

  const requestShed = ({ request, status, wasStarted }: EndedByServer): void => {
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
    isAlwaysAdmitted: (request: IncomingMessage): boolean => isHealthCheck(pathOf(request)),
    observer: { requestStarted: (): void => reporter.requestStarted?.(), requestShed },
  };
};
