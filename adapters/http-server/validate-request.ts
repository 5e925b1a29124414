import type { IncomingMessage } from 'node:http';
import type { ServerFailure } from './options';

// Limits of the head of a request. RFC 9112, section 3, recommends at least 8,000 bytes for the request line. Short
// headers take 20 times as much memory as their bytes. Node drops headers after `keptHeaders`, one more than the
// maximum, so that `validateRequest` notices the excess.
export const maxHeadBytes = 16_384;
const maxHeaders = 128;
export const keptHeaders = maxHeaders + 1;

export const hasTooManyHeaders = ({ rawHeaders }: IncomingMessage): boolean =>
  rawHeaders.length > 2 * maxHeaders;

/**
 * Counts the bytes of all headers, and the number of Host and Authorization headers. Node's own limit leaves out colons
 * and line ends, and in `request.headers` Node joins or drops repeated headers.
 */
const countHead = (rawHeaders: ReadonlyArray<string>) => {
  let bytes = 0;
  let hosts = 0;
  let authorizations = 0;
  let isName = false;
  for (const text of rawHeaders) {
    isName = !isName;
    bytes += text.length + 2;
    if (!isName) continue;
    if (text.length === 4 && text.toLowerCase() === 'host') hosts += 1;
    if (text.length === 13 && text.toLowerCase() === 'authorization') authorizations += 1;
  }
  return { bytes, hosts, authorizations };
};

// Syntax of Host: a possibly empty host (RFC 3986, section 3.2.2) and an optional port (RFC 9110, section 7.2).
const hostAndPort = /^(?:\[[\da-fv:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

/**
 * True if a proxy and Node may disagree on the end of the body, which would allow request smuggling. HTTP/1.0 has no
 * Transfer-Encoding, and the server supports only `chunked` (RFC 9112, section 6.1).
 */
const hasAmbiguousLength = ({ headers, httpVersion }: IncomingMessage): boolean => {
  const encoding = headers['transfer-encoding'];
  return encoding !== undefined && (encoding.toLowerCase() !== 'chunked' || httpVersion !== '1.1');
};

const fragmentOrInvalid = /#|[^!-~]/;

const originForm = (target: string): string | undefined => {
  if (fragmentOrInvalid.test(target)) return undefined;
  if (target.startsWith('/')) return target;
  const [, pathAndQuery] = /^https?:\/\/[^/?\\]+(.*)$/i.exec(target) ?? [];
  if (pathAndQuery === undefined || !URL.canParse(target)) return undefined;
  return pathAndQuery.startsWith('/') ? pathAndQuery : `/${pathAndQuery}`;
};

export const malformed = (reason: string): ServerFailure => ({ _tag: 'MalformedRequest', reason });

/**
 * Finds faults in the head of a request that Node does not reject (RFC 9112, sections 2.3, 3.2 and 6.1; RFC 9110,
 * sections 7.2, 10.1.1 and 11). Rewrites the target of a valid request to origin form. `Exchange.start` of
 * request-lifecycle.ts calls it.
 */
export const validateRequest = (request: IncomingMessage): ServerFailure | undefined => {
  const { rawHeaders, headers, httpVersion, httpVersionMajor, url = '' } = request;
  if (httpVersionMajor !== 1) return { _tag: 'HttpVersionNotSupported' };
  if (hasTooManyHeaders(request)) return { _tag: 'HeadersTooLarge' };
  const { bytes, hosts, authorizations } = countHead(rawHeaders);
  if (bytes > maxHeadBytes) return { _tag: 'HeadersTooLarge' };
  if (hosts > 1) return malformed('a request must have at most one Host header');
  if (hosts === 0 && httpVersion === '1.1') return malformed('a request must have a Host header');
  if (!hostAndPort.test(headers.host ?? '')) {
    return malformed('invalid Host header; it must be a host with an optional port');
  }
  if (authorizations > 1) return malformed('a request must have at most one Authorization header');
  if (hasAmbiguousLength(request)) {
    return malformed('unsupported Transfer-Encoding; only chunked is supported, in HTTP/1.1');
  }
  const target = originForm(url);
  if (target === undefined) return malformed('invalid request target; it must be a path or a URL');
  if ((headers.expect ?? '100-continue').toLowerCase() !== '100-continue') {
    return { _tag: 'ExpectationFailed' };
  }
  request.url = target;
  return undefined;
};

/**
 * True if the response must close the connection, because the end of the request is uncertain. There are three cases.
 * If the body is incomplete, a proxy may send its next request instead of the rest. With Upgrade, Node drops the bytes
 * that follow. If a client that expects a 100 (Continue) gets none, it may send its body or omit it.
 */
export const hasUnknownEnd = ({ complete, headers }: IncomingMessage, isContinued: boolean): boolean =>
  !complete || headers.upgrade !== undefined || (headers.expect !== undefined && !isContinued);

export interface ParserError extends Error {
  readonly code?: string;
  /** Reason of llhttp: one of its fixed texts, such as `Invalid header token`. Contains no text of the client. */
  readonly reason?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

const lowerFirstWord = (text: string): string =>
  text.replace(/^[A-Z](?=[a-z]+ )/, (letter) => letter.toLowerCase());

export const parserFailure = ({ code, reason }: ParserError): ServerFailure => {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { _tag: 'HeadersTooLarge' };
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { _tag: 'PayloadTooLarge', hasLongChunkExtensions: true };
    case 'HPE_PAUSED_H2_UPGRADE':
      return { _tag: 'HttpVersionNotSupported' };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { _tag: 'RequestTimeout' };
    case 'HPE_INVALID_EOF_STATE':
      return malformed(
        'the connection ended before the request was complete; send all of its headers and body',
      );
    default:
      return malformed(
        `the request is not valid HTTP/1.1${reason === undefined ? '' : `: ${lowerFirstWord(reason)}`}`,
      );
  }
};

export const isMalformedHeadRequest = ({ rawPacket, bytesParsed }: ParserError): boolean => {
  const parsed = rawPacket?.toString('latin1', 0, bytesParsed) ?? '';
  return parsed.startsWith('HEAD ') && !parsed.includes('\r\n\r\n');
};
