import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import type { InvalidApiKey, KeyId, OwnerId } from '../../core';
import type { Middleware, State } from './context';
import { describeFailure, failureOf, type HttpFailure, isAnsweredByServer, type RequestHead } from './errors';
import { requestIdOf } from './middleware';

interface TraceContext {
  readonly traceId: string;
  readonly parentId: string;
}

type UnauthorizedReason = 'missing_key' | 'malformed_key' | `${InvalidApiKey['reason']}_key`;

export interface RequestRecord {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly route: string | undefined;
  readonly status: number;
  readonly code: string | undefined;
  readonly milliseconds: number;
  readonly keyId: KeyId | undefined;
  readonly owner: OwnerId | undefined;
  readonly unauthorizedReason: UnauthorizedReason | undefined;
  readonly trace: TraceContext | undefined;
  readonly clientAddress: string | undefined;
}

export interface RejectionRecord extends Pick<
  RequestRecord,
  'requestId' | 'status' | 'code' | 'trace' | 'clientAddress'
> {}

/**
 * Receiver of an event for each start, end, rejection and error of a request. `accessLog`, which app.ts installs,
 * reports the requests that reach Koa. server-options.ts reports the requests that the HTTP server ends itself.
 * app/serve/observability.ts implements the functions, which must not throw.
 */
export interface Reporter {
  readonly requestStarted?: () => void;
  readonly requestEnded: (record: RequestRecord) => void;
  readonly requestRejected: (record: RejectionRecord) => void;
  readonly error: (cause: unknown, requestId: string) => void;
}

// Syntax of `traceparent` (W3C Trace Context). Version 00 ends after the flags; a later version may continue after a
// dash. Version ff and ids that consist of zeros are invalid.
const traceParent =
  /^(?:00(?=.{53}$)|(?!00|ff)[0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?$/;

const parseTraceContext = (header: string): TraceContext | undefined => {
  const [, traceId, parentId] = traceParent.exec(header) ?? [];
  return traceId === undefined || parentId === undefined ? undefined : { traceId, parentId };
};

// An address with a port: IPv6 stands in brackets then, and a port may be obfuscated (RFC 7239, section 6).
const addressWithPort = /^(?:\[(?<ipv6>[^\]]*)\]|(?<ipv4>[\d.]+))(?::(?:\d+|_[\w.-]+))?$/;

/** Returns the address in an entry of `X-Forwarded-For`, or undefined for `unknown` and whatever else is no address. */
const parseForwardedAddress = (entry: string): string | undefined => {
  const node = entry.trim().replace(/^"(.*)"$/, '$1');
  const { ipv6, ipv4 } = addressWithPort.exec(node)?.groups ?? {};
  const address = ipv6 ?? ipv4 ?? node;
  return isIP(address) === 0 ? undefined : address;
};

/**
 * Returns the address of the client: that of the socket or, with trusted proxies, an address from `X-Forwarded-For`.
 * The outermost trusted proxy wrote that address. Clients can forge all entries to the left of that address, so a quote
 * in them must not hide a comma.
 */
export const clientAddressOf = (
  { headers, socket }: RequestHead,
  trustedProxies: number,
): string | undefined => {
  const forwarded = headers['x-forwarded-for'];
  if (trustedProxies === 0 || typeof forwarded !== 'string') return socket.remoteAddress;
  const entry = forwarded.split(',').at(-trustedProxies);
  return entry === undefined ? socket.remoteAddress : parseForwardedAddress(entry);
};

const unauthorizedReasonOf = (failure: HttpFailure): UnauthorizedReason | undefined => {
  switch (failure._tag) {
    case 'MissingApiKey':
      return 'missing_key';
    case 'MalformedApiKey':
      return 'malformed_key';
    case 'InvalidApiKey':
      return `${failure.reason}_key`;
    default:
      return undefined;
  }
};

type Ended = Pick<RequestRecord, 'status' | 'path' | 'clientAddress'> & {
  readonly request: RequestHead;
  readonly arrivedAt: number;
  readonly state?: State;
};

export const recordRequest = (ended: Ended): RequestRecord => {
  const { request, status, arrivedAt, path, clientAddress, state: { route, caller } = {} } = ended;
  const failure = failureOf(request);
  const refusedKeyId = failure?._tag === 'InvalidApiKey' ? failure.keyId : undefined;
  const { traceparent } = request.headers;
  return {
    requestId: requestIdOf(request),
    method: request.method ?? '',
    path,
    route: route?.path,
    status,
    code: failure === undefined ? undefined : describeFailure(failure).code,
    milliseconds: Math.round((performance.now() - arrivedAt) * 1_000) / 1_000,
    keyId: caller?.keyId ?? refusedKeyId,
    owner: caller?.ownerId,
    unauthorizedReason: failure === undefined ? undefined : unauthorizedReasonOf(failure),
    trace: typeof traceparent === 'string' ? parseTraceContext(traceparent) : undefined,
    clientAddress,
  };
};

const clientClosedRequest = 499;

const sentStatus = (request: IncomingMessage, response: ServerResponse): number => {
  if (response.headersSent) return response.statusCode;
  // The HTTP server answers itself if the deadline has passed or the body is malformed.
  const failure = isAnsweredByServer(request) ? failureOf(request) : undefined;
  return failure === undefined ? clientClosedRequest : describeFailure(failure).status;
};

export const accessLog =
  (reporter: Reporter, trustedProxies: number): Middleware =>
  (context, next) => {
    const { req: request, res: response, path, state } = context;
    const arrivedAt = performance.now();
    // Read the address now, because a closed socket has none.
    const clientAddress = clientAddressOf(request, trustedProxies);
    reporter.requestStarted?.();
    response.on('close', () => {
      const status = sentStatus(request, response);
      reporter.requestEnded(recordRequest({ request, status, arrivedAt, path, clientAddress, state }));
    });
    return next();
  };
