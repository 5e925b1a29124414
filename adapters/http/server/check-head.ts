import type { IncomingMessage } from 'node:http';
import { isHeaderName } from '../message/request';
import { requestLimits } from '../message/limits';
import { malformed, type ServerFailure } from '../message/failures';
import type { RequestParts } from './request-parts';

/** Number of headers that Node keeps of a request: one more than the limit, so that `checkHead` can notice too many. */
export const maxKeptHeaders = requestLimits.headers + 1;

/**
 * Returns the first fault of a head that Node's parser accepts, or undefined. Applies RFC 9112, sections 2.1, 2.3, 3.2,
 * 5.1 and 6.1, and RFC 9110, sections 7.2, 10.1.1 and 11. Rewrites the target of a valid request to origin form.
 */
export const checkHead = (
  request: IncomingMessage,
  parts: Pick<RequestParts, 'endedAtBlankLine'>,
): ServerFailure | undefined => {
  const { rawHeaders, headers, httpVersion, httpVersionMajor } = request;
  if (httpVersionMajor !== 1) return { _tag: 'HttpVersionNotSupported' };
  if (rawHeaders.length > 2 * requestLimits.headers) return { _tag: 'HeadersTooLarge' };
  if (!parts.endedAtBlankLine) return malformed('the headers of a request must end with an empty line');
  let hosts = 0;
  let authorizations = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (!token.test(name)) {
      return malformed('invalid header name; it must have no spaces, and must not be empty');
    }
    if (isHeaderName(name, 'host')) hosts += 1;
    if (isHeaderName(name, 'authorization')) authorizations += 1;
  }
  if (hosts > 1) return malformed('a request must have at most one Host header');
  if (hosts === 0 && httpVersion === '1.1') return malformed('a request must have a Host header');
  if (!hostAndPort.test(headers.host ?? '')) {
    return malformed('invalid Host header; it must be a host with an optional port');
  }
  if (authorizations > 1) {
    return malformed('a request must have at most one Authorization header');
  }
  if (hasAmbiguousLength(request)) {
    return malformed('unsupported Transfer-Encoding; only chunked is supported, in HTTP/1.1');
  }
  if (!rewriteTarget(request)) return malformed('invalid request target; it must be a path or a URL');
  if ((headers.expect ?? '100-continue').toLowerCase() !== '100-continue') {
    return { _tag: 'ExpectationFailed' };
  }
  return undefined;
};

// Matches the name of a header (RFC 9110, section 5.6.2). Until 20.19.1, Node also accepts an empty name or spaces.
const token = /^[\w!#$%&'*+.^`|~-]+$/;

// Matches a Host header (RFC 9110, section 7.2): an optional host (RFC 3986, section 3.2.2) and an optional port.
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

const absoluteForm = /^https?:\/\/(?:[^/?\\]*@)?([^/?\\@]+)(.*)$/i;

/**
 * Rewrites a target such as `http://host/v1/pets` (absolute form) to `/v1/pets` (origin form). The host of the target
 * then replaces the Host header (RFC 9112, section 3.2.2). Returns false for an invalid target.
 */
const rewriteTarget = (request: IncomingMessage): boolean => {
  const { url = '', headers } = request;
  if (fragmentOrInvalid.test(url)) return false;
  if (url.startsWith('/')) return true;
  const [, host, pathAndQuery = ''] = absoluteForm.exec(url) ?? [];
  if (host === undefined || !URL.canParse(url)) return false;
  headers.host = host;
  request.url = pathAndQuery.startsWith('/') ? pathAndQuery : `/${pathAndQuery}`;
  return true;
};
