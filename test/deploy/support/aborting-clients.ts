import { once } from 'node:events';
import { type ClientHttp2Session, connect, constants, type OutgoingHttpHeaders } from 'node:http2';
import { setTimeout as delay } from 'node:timers/promises';
import { connectTo } from '../../support/http/raw-connection';
import type { Random } from '../../support/random';
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

/** A valid API key, which few attacks use. */
export const attackerKey = 'a-key-of-an-attacker-that-is-long-enough';

const json = { 'content-type': 'application/json' };

/** Start of a request that turns the start of the next client's request into a header, if a server parses it. */
const prefix = 'GET /v1/pets/1 HTTP/1.1\r\nHost: a\r\nX: ';

/** Makes a body that is parsed as requests if it is cut off and the connection is used again. */
const hostileBody = (random: Random): string => {
  const filler = 'x'.repeat(random.pick([0, 10, 1_000, 60_000]));
  const answered = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(random.below(3));
  return `${filler}\r\n\r\n${answered}${prefix}`;
};

/** Returns the Authorization header of an attack; most attacks have none. */
const credentials = (random: Random): Readonly<Record<string, string>> =>
  random.below(4) > 0 ? {} : { authorization: `Bearer ${attackerKey}` };

/** Returns a Content-Length that is right or too large. */
const lengthOf = (body: string, random: Random): number => body.length + random.pick([0, 1, 200, 40_000]);

const headOf = (first: string, headers: Readonly<Record<string, string>>): string =>
  [first, 'Host: animals', ...Object.entries(headers).map((header) => header.join(': ')), '', ''].join(
    '\r\n',
  );

const hostileRequest = (random: Random): string => {
  const body = hostileBody(random);
  const sent = body.slice(0, random.between(0, body.length));
  const headers = { ...json, ...credentials(random) };
  const post = 'POST /v1/pets HTTP/1.1';
  switch (random.pick(['length', 'chunked', 'expect', 'upgrade', 'pipeline'])) {
    case 'length':
      return headOf(post, { ...headers, 'content-length': String(lengthOf(body, random)) }) + sent;
    case 'chunked':
      return `${headOf(post, { ...headers, 'transfer-encoding': 'chunked' })}${body.length.toString(16)}\r\n${sent}`;
    case 'expect':
      return (
        headOf(post, { ...headers, expect: '100-continue', 'content-length': String(body.length) }) + sent
      );
    case 'upgrade':
      return (
        headOf('GET /v1/pets HTTP/1.1', { ...headers, connection: 'upgrade', upgrade: 'websocket' }) + sent
      );
    case 'pipeline':
      return headOf('GET /v1/pets/1 HTTP/1.1', credentials(random)).repeat(random.between(1, 20)) + prefix;
  }
};

/** Sends part of a request over HTTP/1.1, and ends the connection at a random moment. */
export const attackHttp1 = async ({ address }: Proxy, random: Random): Promise<void> => {
  const connection = connectTo(address);
  connection.send(hostileRequest(random));
  await delay(random.below(30));
  const end = random.pick(['end', 'destroy', 'reset']);
  connection[end]();
  if (end === 'end') setTimeout(connection.destroy, 1_000).unref();
};

/** Sends part of some requests over HTTP/2, and resets their streams or the connection at a random moment. */
export const attackHttp2 = async ({ tlsAddress }: Proxy, random: Random): Promise<void> => {
  const session = openHttp2(tlsAddress);
  for (let count = random.between(1, 4); count > 0; count -= 1) {
    const body = hostileBody(random);
    const length = { 'content-length': String(lengthOf(body, random)) };
    const headers = { ...json, ...credentials(random), ...(random.below(3) > 0 ? length : {}) };
    const stream = session.request({ ':method': 'POST', ':path': '/v1/pets', ...headers });
    stream.on('error', () => undefined);
    stream.resume();
    stream.write(body.slice(0, random.between(1, body.length)));
    if (random.below(3) === 0) stream.end();
    await delay(random.below(30));
    stream.close(random.pick([constants.NGHTTP2_CANCEL, constants.NGHTTP2_INTERNAL_ERROR]));
    await delay(random.below(20));
  }
  if (random.below(2) === 0) session.close();
  setTimeout(() => {
    session.destroy();
  }, 50).unref();
};

/** Makes an attack without an API key: a body that is cut off, then a body with the missing bytes. */
export const desynchronize = async ({ tlsAddress }: Proxy): Promise<void> => {
  const post = { ':method': 'POST', ':path': '/v1/pets', ...json };
  const answered = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n';
  const tail = `${answered}GET /v1/pets/1 HTTP/1.1\r\nX: `;
  const { host } = new URL(tlsAddress);
  const forwarded = headOf('POST /v1/pets HTTP/1.1', {
    'content-type': 'application/json',
    'content-length': String(tail.length + 10),
    'x-forwarded-proto': 'https',
    'x-forwarded-for': '127.0.0.1',
  }).replace('animals', host);
  const missing = forwarded.length + 10;
  const cutOff = openHttp2(tlsAddress);
  const stream = cutOff.request({ ...post, 'content-length': '60000' });
  stream.on('error', () => undefined);
  stream.resume();
  stream.write('x'.repeat(60_000 - missing));
  await Promise.race([once(stream, 'response'), once(stream, 'close')]);
  stream.close(constants.NGHTTP2_CANCEL);
  await delay(50);
  cutOff.close();
  const rest = openHttp2(tlsAddress);
  await callHttp2(
    rest,
    { ...post, 'content-length': String(tail.length + 10) },
    `${'y'.repeat(10)}${tail}`,
  ).catch(() => undefined);
  rest.close();
};
