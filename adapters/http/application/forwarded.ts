/**
 * Reads the headers that trusted proxies add to a request. Ignores these headers without trusted proxies, because
 * clients can forge them.
 */
import { isIP } from 'node:net';
import type { RequestHead } from '../server/server-state';

/**
 * Returns the IP address that the outermost trusted proxy wrote into `X-Forwarded-For`. If there are fewer entries than
 * trusted proxies, returns the address of the socket.
 */
export const clientAddressOf = (request: RequestHead, trustedProxies: number): string | undefined => {
  const entries = trustedEntries(request, 'x-forwarded-for', trustedProxies);
  const [entry] = entries;
  if (entry === undefined || entries.length < trustedProxies) return request.socket.remoteAddress;
  return parseForwardedAddress(entry);
};

/**
 * Returns the URL by which the client reached the service, with the path prefix that a trusted proxy has removed.
 * Returns an empty string if the Host header is missing or has unusual characters.
 */
export const publicUrlOf = (request: RequestHead, trustedProxies: number): string => {
  const [protocol = 'http'] = trustedEntries(request, 'x-forwarded-proto', trustedProxies);
  const [host = request.headers.host ?? ''] = trustedEntries(request, 'x-forwarded-host', trustedProxies);
  const [prefix = ''] = trustedEntries(request, 'x-forwarded-prefix', trustedProxies);
  const origin = `${protocol}://${host}`;
  if (!plainOrigin.test(origin) || !URL.canParse(origin)) return '';
  return new URL(origin).origin + (plainPrefix.test(prefix) ? prefix : '');
};

/**
 * Returns the entries of a header that trusted proxies wrote, the outermost first. Each proxy adds an entry at the end.
 * Splits the header at commas inside quotes, too: a client could forge an opening quote, which would hide the commas of
 * proxies.
 */
const trustedEntries = (
  { headers }: RequestHead,
  name: `x-forwarded-${'for' | 'host' | 'prefix' | 'proto'}`,
  trustedProxies: number,
): ReadonlyArray<string> => {
  const value = headers[name];
  if (trustedProxies === 0 || typeof value !== 'string') return [];
  return value
    .split(',')
    .slice(-trustedProxies)
    .map((entry) => entry.trim());
};

// Matches an IPv4 address, or an IPv6 address in brackets, with an optional port. The port can be a made-up name such as
// `_x` (RFC 7239, section 6).
const addressWithPort = /^(?:\[(?<ipv6>[^\]]*)\]|(?<ipv4>[\d.]+))(?::(?:\d+|_[\w.-]+))?$/;

/** Returns the IP address in an entry of `X-Forwarded-For`. Returns undefined for an entry such as `unknown`. */
const parseForwardedAddress = (entry: string): string | undefined => {
  const node = entry.replace(/^"(.*)"$/, '$1');
  const { ipv6, ipv4 } = addressWithPort.exec(node)?.groups ?? {};
  const address = ipv6 ?? ipv4 ?? node;
  return isIP(address) === 0 ? undefined : address;
};

// Patterns of parts of a URL that is written into a page. They exclude the special characters of HTML, and `$`, which
// is special in the second argument of `replaceAll`.
const plainOrigin = /^https?:\/\/[\w.:[\]-]+$/;
const plainPrefix = /^(?:\/[\w.~-]+)+$/;
