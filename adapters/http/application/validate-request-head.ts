import * as E from 'fp-ts/Either';
import type { IncomingMessage } from 'node:http';
import { maxHeadSize } from '../protocol/limits';
import { originForm } from '../protocol/request-target';
import type { HttpFailure } from '../responses/http-failures';

/** One pass over a head. Node counts neither the colons nor the ends of the lines, and joins what stands twice. */
const countHead = (rawHeaders: ReadonlyArray<string>) => {
  let size = 0;
  let hosts = 0;
  let authorizations = 0;
  rawHeaders.forEach((text, index) => {
    size += text.length + 2;
    if (index % 2 === 1) return;
    if (text.length === 4 && text.toLowerCase() === 'host') hosts += 1;
    if (text.length === 13 && text.toLowerCase() === 'authorization') authorizations += 1;
  });
  return { size, hosts, authorizations };
};

// RFC 3986, section 3.2.2, and an optional port (RFC 9110, section 7.2); it may be empty.
const hostAndPort = /^(?:\[[\da-fv:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

const malformed = (reason: string): E.Either<HttpFailure, never> =>
  E.left({ _tag: 'MalformedRequest', reason });

/**
 * Whether who stands before the service may see another end of the body than Node does: HTTP/1.0 has no
 * Transfer-Encoding, and beside `chunked` there is none that the service takes off (RFC 9112, section 6.1).
 */
const hasAmbiguousLength = ({ headers, httpVersion }: IncomingMessage): boolean => {
  const encoding = headers['transfer-encoding'];
  return encoding !== undefined && (encoding.toLowerCase() !== 'chunked' || httpVersion !== '1.1');
};

/**
 * Looks for what is wrong with a request's head that Node lets through (RFC 9112, sections 2.3, 3.2 and 6.1; RFC 9110,
 * sections 7.2, 10.1.1, 11), and answers with the path and the query that it asks for.
 */
export const validateRequestHead = (message: IncomingMessage): E.Either<HttpFailure, string> => {
  const { rawHeaders, headers, httpVersion, httpVersionMajor, url = '' } = message;
  if (httpVersionMajor !== 1) return E.left({ _tag: 'HttpVersionNotSupported' });
  const { size, hosts, authorizations } = countHead(rawHeaders);
  if (size > maxHeadSize) return E.left({ _tag: 'HeadersTooLarge' });
  if (hosts > 1) return malformed('a request must have one Host header');
  if (hosts === 0 && httpVersion === '1.1') return malformed('a request must have a Host header');
  if (!hostAndPort.test(headers.host ?? '')) {
    return malformed('the Host header must be a host, with a port or without');
  }
  if (authorizations > 1) {
    return malformed('a request must have one Authorization header at most');
  }
  if (hasAmbiguousLength(message)) {
    return malformed('the only Transfer-Encoding that is taken is chunked, in HTTP/1.1');
  }
  const target = originForm(url);
  if (target === undefined) return malformed('the request target must be a path or an address');
  return (headers.expect ?? '100-continue').toLowerCase() === '100-continue'
    ? E.right(target)
    : E.left({ _tag: 'ExpectationFailed' });
};
