import * as O from 'fp-ts/Option';
import type { Context } from 'koa';
import type { ExpectationFailed, HeadersTooLarge, MalformedRequest } from './http-failures';

/** In bytes: RFC 9112, section 3, asks for 8,000 in the request line alone. */
export const maxHeadSize = 16_384;

const countOf = (rawHeaders: ReadonlyArray<string>, name: string): number =>
  rawHeaders.filter((header, index) => index % 2 === 0 && header.toLowerCase() === name).length;

/** Node counts neither the colons nor the ends of the lines. */
const sizeOf = (rawHeaders: ReadonlyArray<string>): number =>
  rawHeaders.reduce((size, text) => size + text.length + 2, 0);

const malformed = (reason: string): O.Option<MalformedRequest> =>
  O.some({ _tag: 'MalformedRequest', reason });

const hasPath = (context: Context): boolean =>
  O.getOrElse(() => false)(O.tryCatch(() => context.path.startsWith('/') && !context.url.includes('#')));

/** What is wrong with a request's head that Node lets through (RFC 9112, section 3.2; RFC 9110, sections 10.1.1, 11). */
export const refusedHead = (
  context: Context,
): O.Option<MalformedRequest | HeadersTooLarge | ExpectationFailed> => {
  const { rawHeaders, headers, httpVersion } = context.req;
  if (sizeOf(rawHeaders) > maxHeadSize) return O.some({ _tag: 'HeadersTooLarge' });
  const hosts = countOf(rawHeaders, 'host');
  if (hosts > 1) return malformed('a request must have one Host header');
  if (hosts === 0 && httpVersion === '1.1') return malformed('a request must have a Host header');
  if (countOf(rawHeaders, 'authorization') > 1) {
    return malformed('a request must have one Authorization header at most');
  }
  if (!hasPath(context)) return malformed('the request target must be a path or an address');
  return (headers.expect ?? '100-continue').toLowerCase() === '100-continue'
    ? O.none
    : O.some({ _tag: 'ExpectationFailed' });
};
