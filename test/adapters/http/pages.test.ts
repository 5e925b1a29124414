import { expect } from 'chai';
import Koa from 'koa';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { sendText, sendTextByOrigin } from '../../../adapters/http/pages';
import { servePlainly } from '../../support/http/listen';

const body = 'An animal, and another.';
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

  it('is sent with its type, and again only to a client that has another one', async () => {
    const { status, headers, bytes } = await get();
    expect([status, bytes.toString()]).to.deep.equal([200, body]);
    expect(headers).to.include({ 'content-type': contentType, 'cache-control': 'no-cache' });
    const { etag = '' } = headers;
    expect(etag).to.match(/^"[\w-]+"$/);
    for (const ifNoneMatch of [etag, `"another", W/${etag}`]) {
      const fresh = await get({ 'If-None-Match': ifNoneMatch });
      expect([fresh.status, fresh.bytes.length], ifNoneMatch).to.deep.equal([304, 0]);
      expect(fresh.headers).to.include({ 'cache-control': 'no-cache', etag });
    }
    expect((await get({ 'If-None-Match': etag }, '/other')).status).to.equal(200);
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
