import { expect } from 'chai';
import Koa from 'koa';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { sendText, sendTextByOrigin } from '../../../adapters/http/pages';
import { servePlainly } from '../../support/http/listen';

const body = 'An animal, and another. '.repeat(100);
const contentType = 'text/plain; charset=utf-8';

const texts: Readonly<Record<string, Koa.Middleware>> = {
  '/': sendText({ body, contentType }),
  '/other': sendText({ body: `${body}!`, contentType }),
  '/origin': sendTextByOrigin((origin) => ({ body: `at ${origin}`, contentType })),
};

describe('A static text', () => {
  let server: Awaited<ReturnType<typeof servePlainly>>;
  before(async () => {
    const app = new Koa({ proxy: true });
    app.use(async (context, next) => {
      await texts[context.path]?.(context, next);
    });
    server = await servePlainly(app.callback());
  });
  after(() => server.close());

  /** Sends exactly these headers, because fetch would add some. */
  const get = async (headers: Readonly<Record<string, string>> = {}, path = '/') => {
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      request(`${server.address}${path}`, { headers }).once('response', resolve).once('error', reject).end();
    });
    return { status: message.statusCode, headers: message.headers, bytes: await buffer(message) };
  };

  it('is sent as it is, with its type, to a client that names no coding', async () => {
    const { status, headers, bytes } = await get();
    expect([status, bytes.toString()]).to.deep.equal([200, body]);
    expect(headers).to.include({
      'content-type': contentType,
      'cache-control': 'no-cache',
      vary: 'Accept-Encoding',
      'content-length': String(bytes.length),
    });
  });

  it('is compressed for a client that accepts gzip, as the same text', async () => {
    const { status, headers, bytes } = await get({ 'Accept-Encoding': 'br, gzip' });
    expect(status).to.equal(200);
    expect(headers).to.include({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(gunzipSync(bytes).toString()).to.equal(body);
    expect(bytes.length).to.be.below(body.length / 10);
  });

  it('is not compressed for a client that prefers it plain, or refuses gzip', async () => {
    for (const accepted of ['gzip;q=0', 'gzip;q=0.5, identity']) {
      const { headers } = await get({ 'Accept-Encoding': accepted });
      expect(headers['content-encoding'], accepted).to.equal(undefined);
    }
  });

  for (const accepted of ['gzip', 'identity']) {
    it(`in ${accepted} is sent once to a client that asks after it by its ETag`, async () => {
      const asked = { 'Accept-Encoding': accepted };
      const etag = (await get(asked)).headers.etag ?? '';
      expect(etag).to.match(/^"[\w-]+"$/);
      for (const ifNoneMatch of [etag, `"another", W/${etag}`]) {
        const { status, headers, bytes } = await get({ ...asked, 'If-None-Match': ifNoneMatch });
        expect([status, bytes.length], ifNoneMatch).to.deep.equal([304, 0]);
        expect(headers).to.include({ 'cache-control': 'no-cache', etag, vary: 'Accept-Encoding' });
      }
      expect((await get({ ...asked, 'If-None-Match': '"another"' })).status).to.equal(200);
    });
  }

  it('has another ETag in each coding, and another text has others', async () => {
    const etags = new Set();
    for (const path of ['/', '/other']) {
      for (const accepted of ['gzip', 'identity']) {
        etags.add((await get({ 'Accept-Encoding': accepted }, path)).headers.etag);
      }
    }
    expect(etags.size).to.equal(4);
  });

  it('names the address that each client has used', async () => {
    for (const host of ['animals.example', 'store.example:8080']) {
      const { bytes } = await get({ Host: host }, '/origin');
      expect(bytes.toString()).to.equal(`at http://${host}`);
    }
  });

  for (const [forwardedHost, forwardedProto, origin] of [
    ['store.example:8080', 'https', 'https://store.example:8080'],
    ['[::1]:8080, inner.example', 'https, http', 'https://[::1]:8080'],
    ['evil.example/path', 'https', 'https://evil.example'],
    ['a b', 'https', ''],
    ['store.example', 'javascript', ''],
  ] as const) {
    it(`names '${origin}' if a proxy forwards ${forwardedProto} and ${forwardedHost}`, async () => {
      const headers = {
        Host: 'animals.example',
        'X-Forwarded-Host': forwardedHost,
        'X-Forwarded-Proto': forwardedProto,
      };
      expect((await get(headers, '/origin')).bytes.toString()).to.equal(`at ${origin}`);
    });
  }
});
