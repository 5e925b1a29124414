import { once } from 'node:events';
import { type ClientHttp2Session, connect, constants, type OutgoingHttpHeaders } from 'node:http2';
import { setTimeout as delay } from 'node:timers/promises';
import type { Proxy } from './proxies';

/** Opens an HTTP/2 connection to a proxy, whose certificate is self-signed. */
export const openHttp2 = (address: string): ClientHttp2Session => {
  const session = connect(address, { rejectUnauthorized: false });
  session.on('error', () => undefined);
  return session;
};

/** Sends a request on an HTTP/2 connection. Rejects if the stream ends without a complete response. */
export const callHttp2 = (
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body?: string,
): Promise<{ readonly status: number; readonly text: string }> =>
  new Promise((resolve, reject) => {
    const stream = session.request(headers, { endStream: body === undefined });
    let status = 0;
    let text = '';
    stream.on('response', (answer) => (status = answer[':status'] ?? 0));
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    stream.once('error', reject);
    stream.once('close', () => {
      if (stream.rstCode === 0 && status > 0) resolve({ status, text });
      else reject(new Error(`HTTP/2 stream closed with code ${String(stream.rstCode)}`));
    });
    if (body !== undefined) stream.end(body);
  });

const post = { ':method': 'POST', ':path': '/v1/pets', 'content-type': 'application/json' };

/** Requests without a key. The last one would turn the start of the next client's request into a header. */
const smuggled = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\nGET /v1/pets/1 HTTP/1.1\r\nX: ';

/**
 * Sends a body that is cut off, then a body with the missing bytes and requests of its own. A server that goes on after
 * its early response would take the second request as the rest of the first body.
 */
export const desynchronize = async ({ tlsAddress }: Proxy): Promise<void> => {
  const length = { 'content-length': String(smuggled.length + 10) };
  const headers = {
    ...{ host: new URL(tlsAddress).host, 'content-type': 'application/json' },
    ...{ ...length, 'x-forwarded-proto': 'https', 'x-forwarded-for': '127.0.0.1' },
  };
  const lines = Object.entries(headers).map((header) => header.join(': '));
  const forwarded = ['POST /v1/pets HTTP/1.1', ...lines, '', ''].join('\r\n');
  const cutOff = openHttp2(tlsAddress);
  const stream = cutOff.request({ ...post, 'content-length': '60000' });
  stream.on('error', () => undefined);
  stream.resume();
  stream.write('x'.repeat(60_000 - forwarded.length - 10));
  await Promise.race([once(stream, 'response'), once(stream, 'close')]);
  stream.close(constants.NGHTTP2_CANCEL);
  await delay(50);
  cutOff.close();
  const rest = openHttp2(tlsAddress);
  await callHttp2(rest, { ...post, ...length }, `${'y'.repeat(10)}${smuggled}`).catch(() => undefined);
  rest.close();
};
