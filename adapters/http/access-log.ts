import { isIP } from 'node:net';
import type { InvalidApiKey, KeyId, OwnerId } from '../../core';
import { describeFailure, type HttpFailure, type RequestHead } from './errors';
import type { Middleware } from './routes';

type UnauthorizedReason = 'missing_key' | `${InvalidApiKey['reason']}_key`;

/** Fields of the log line of a request that was not served. A record never has a key, a query, a header or a body. */
export interface RejectionRecord {
  readonly requestId: string;
  readonly status: number;
  readonly code: string | undefined;
  readonly clientAddress: string | undefined;
}

/** Fields of the log line of a request. */
export interface RequestRecord extends RejectionRecord {
  readonly method: string;
  readonly path: string;
  readonly route: string | undefined;
  readonly reason: UnauthorizedReason | undefined;
  readonly milliseconds: number;
  readonly keyId: KeyId | undefined;
  readonly owner: OwnerId | undefined;
  /** Id of the animal of a create that was answered with a 201. */
  readonly petId: string | undefined;
  /** Header `Unknown-Fields` of the response. Its names come from the client, so only a debug log has them. */
  readonly unknownFields: string | undefined;
}

/** Receiver of an event for each start, end, rejection and error of a request. Its functions must not throw. */
export interface Reporter {
  readonly requestStarted?: () => void;
  readonly requestEnded: (record: RequestRecord) => void;
  readonly requestRejected: (record: RejectionRecord) => void;
  /** Gets the origin of a page whose preflight request is not allowed (Fetch standard, section 3.3). */
  readonly preflightRejected?: (origin: string) => void;
  readonly error: (cause: unknown, requestId: string) => void;
}

// Matches an address with a port. An IPv6 address is then in brackets. A port may be obfuscated (RFC 7239, section 6).
const addressWithPort = /^(?:\[(?<ipv6>[^\]]*)\]|(?<ipv4>[\d.]+))(?::(?:\d+|_[\w.-]+))?$/;

/** Returns the address in an entry of `X-Forwarded-For`, or undefined if it has none, such as `unknown`. */
const parseForwardedAddress = (entry: string): string | undefined => {
  const node = entry.trim().replace(/^"(.*)"$/, '$1');
  const { ipv6, ipv4 } = addressWithPort.exec(node)?.groups ?? {};
  const address = ipv6 ?? ipv4 ?? node;
  return isIP(address) === 0 ? undefined : address;
};

/**
 * Returns the address of the client: that of the socket or, with trusted proxies, the address in `X-Forwarded-For` that
 * the outermost trusted proxy wrote. Clients can forge all entries to its left, so a quote in them must not hide a
 * comma.
 */
const clientAddressOf = ({ headers, socket }: RequestHead, trustedProxies: number): string | undefined => {
  const forwarded = headers['x-forwarded-for'];
  if (trustedProxies === 0 || typeof forwarded !== 'string') return socket.remoteAddress;
  const entry = forwarded.split(',').at(-trustedProxies);
  return entry === undefined ? socket.remoteAddress : parseForwardedAddress(entry);
};

const unauthorizedReasonOf = (failure: HttpFailure): UnauthorizedReason | undefined => {
  switch (failure._tag) {
    case 'MissingApiKey':
      return 'missing_key';
    case 'RepeatedBearer':
      return 'malformed_key';
    case 'InvalidApiKey':
      return `${failure.reason}_key`;
    default:
      return undefined;
  }
};

const codeOf = (failure: HttpFailure | undefined): string | undefined =>
  failure === undefined ? undefined : describeFailure(failure).code;

/** Returns the fields of the log line of a request that the HTTP server has rejected. */
export const recordRejection = (
  failure: HttpFailure,
  request: RequestHead,
  requestId: string,
  trustedProxies: number,
): RejectionRecord => {
  const { status, code } = describeFailure(failure);
  return { requestId, status, code, clientAddress: clientAddressOf(request, trustedProxies) };
};

const clientClosedRequest = 499;

const maxPathLength = 1_000;

/** Event of a response that the HTTP server has sent itself, because the body of its request was malformed. */
export const answeredByServer = 'answeredByServer';

export const accessLog =
  (reporter: Reporter, trustedProxies: number): Middleware =>
  (context, next) => {
    const { req: request, res: response, path, state } = context;
    const arrivedAt = performance.now();
    // Read the address now, because a closed socket has none.
    const clientAddress = clientAddressOf(request, trustedProxies);
    let unsentStatus = clientClosedRequest;
    response.on(answeredByServer, (failure: HttpFailure) => {
      state.failure = failure;
      unsentStatus = describeFailure(failure).status;
    });
    reporter.requestStarted?.();
    response.on('close', () => {
      const { failure } = state;
      reporter.requestEnded({
        method: request.method ?? '',
        path: path.length > maxPathLength ? `${path.slice(0, maxPathLength)}…` : path,
        route: state.route,
        status: response.headersSent ? response.statusCode : unsentStatus,
        code: codeOf(failure),
        reason: failure === undefined ? undefined : unauthorizedReasonOf(failure),
        milliseconds: Math.round((performance.now() - arrivedAt) * 1_000) / 1_000,
        keyId: state.caller?.keyId ?? (failure?._tag === 'InvalidApiKey' ? failure.keyId : undefined),
        owner: state.caller?.ownerId,
        petId: state.createdId?.toString(),
        clientAddress,
        requestId: state.requestId ?? '',
        unknownFields: response.getHeader('Unknown-Fields')?.toString(),
      });
    });
    return next();
  };
