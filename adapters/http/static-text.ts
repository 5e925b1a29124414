import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context, Headers } from './context';

interface Text {
  readonly body: string | Buffer;
  readonly contentType: string;
  readonly headers?: Headers;
}

const compress = promisify<Buffer, Buffer>(gzip);

/** Makes the handler of a fixed text, for the pages and files of docs-pages.ts. The text is compressed only once. */
export const sendText = ({ body, contentType, headers = {} }: Text) => {
  const plain = Buffer.from(body);
  const hash = createHash('sha256').update(plain).digest('base64url');
  let compressed: Promise<Buffer> | undefined;

  return async (context: Context): Promise<void> => {
    const isGzip = context.acceptsEncodings('gzip', 'identity') === 'gzip';
    context.status = 200;
    context.set({ 'Cache-Control': 'no-cache', ...headers, ETag: isGzip ? `"${hash}-gzip"` : `"${hash}"` });
    context.vary('Accept-Encoding');
    if (context.fresh) {
      context.status = 304;
      return;
    }
    const sent = isGzip ? await (compressed ??= compress(plain)) : plain;
    context.set('Content-Type', contentType);
    if (isGzip) context.set('Content-Encoding', 'gzip');
    context.body = sent;
  };
};

const maxOrigins = 100;

// Maximum length of a cached origin: a scheme, a host name of at most 253 characters (RFC 1035, section 2.3.4) and a
// port.
const maxOriginLength = 300;

// Syntax of a host (RFC 3986, section 3.2.2) and an optional port. The HTTP server has already checked Host, but not
// X-Forwarded-Host.
const hostAndPort = /^(?:\[[\da-fv:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+)(?::\d*)?$/i;

const originOf = (context: Context): string => {
  const host = hostAndPort.test(context.host) ? context.host : context.get('Host');
  return host === '' ? '' : `${context.protocol === 'https' ? 'https' : 'http'}://${host}`;
};

/**
 * Makes the handler of a text that contains the service's own address: the OpenAPI documents of service-routes.ts and
 * the start page of docs-pages.ts.
 */
export const sendTextByOrigin = (makeText: (origin: string) => Text) => {
  const known = new LRUCache<string, ReturnType<typeof sendText>>({ max: maxOrigins });
  return (context: Context): Promise<void> => {
    const origin = originOf(context);
    const cached = known.get(origin);
    if (cached !== undefined) return cached(context);
    const send = sendText(makeText(origin));
    if (origin.length <= maxOriginLength) known.set(origin, send);
    return send(context);
  };
};
