import { isIP } from 'node:net';
import type { InvalidApiKey, KeyId, OwnerId } from '../../core';
import type { HttpFailure, RequestHead } from './errors';

type UnauthorizedReason = 'missing_key' | `${InvalidApiKey['reason']}_key`;

/** Log record of a request that the HTTP server rejected. No record contains an API key, a query or a body. */
export interface RejectionRecord {
  readonly requestId: string;
  readonly status: number;
  readonly code: string | undefined;
  readonly clientAddress: string | undefined;
}

/** Log record of a request that the application received. */
export interface RequestRecord extends RejectionRecord {
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

/** Callbacks, which must not throw. Each request either starts and ends, or is rejected by the HTTP server. */
export interface Reporter {
  readonly requestStarted?: () => void;
  readonly requestEnded: (record: RequestRecord) => void;
  readonly requestRejected: (record: RejectionRecord) => void;
  /** Receives the well-formed origin of a CORS preflight request that `corsOrigins` does not allow. */
  readonly preflightRejected?: (origin: string) => void;
  readonly error: (cause: unknown, requestId: string) => void;
}

// Matches an IPv4 address, or an IPv6 address in brackets, with an optional port (RFC 7239, section 6: `80` or `_x`).
const addressWithPort = /^(?:\[(?<ipv6>[^\]]*)\]|(?<ipv4>[\d.]+))(?::(?:\d+|_[\w.-]+))?$/;

/** Returns the IP address in an entry of `X-Forwarded-For`. Returns undefined for an entry such as `unknown`. */
const parseForwardedAddress = (entry: string): string | undefined => {
  const node = entry.trim().replace(/^"(.*)"$/, '$1');
  const { ipv6, ipv4 } = addressWithPort.exec(node)?.groups ?? {};
  const address = ipv6 ?? ipv4 ?? node;
  return isIP(address) === 0 ? undefined : address;
};

/**
 * Returns the IP address that the outermost trusted proxy wrote into `X-Forwarded-For`. Without a trusted proxy or such
 * an entry, returns the address of the socket. Splits the header at every comma, because a quote that the client has
 * forged must not hide a comma.
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

export const unauthorizedReasonOf = (failure: HttpFailure): UnauthorizedReason | undefined => {
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
