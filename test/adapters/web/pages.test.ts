import { expect } from 'chai';
import { headOf, rawExchange } from '../../support/http/raw-connection';
import { apiKey } from '../../support/service/serve-in-process';
import { type ServiceProcess, startService } from '../../support/service/service-process';

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

describe('The pages', () => {
  let service: ServiceProcess;
  before(async () => {
    service = await startService({ DATABASE_URL: 'memory:', API_KEYS: apiKey, TRUST_PROXY: '1' });
  });
  after(() => service.stop());

  const get = (path: string, ...headers: ReadonlyArray<string>) =>
    rawExchange(
      service.address,
      headOf(`GET ${path} HTTP/1.1`, 'Host: animals.example', 'Connection: close', ...headers),
    );

  it('come without a key, with their types, and load from their own origin only, nothing inline', async () => {
    const pages = await Promise.all(['/', '/docs'].map(async (path) => (await get(path)).body));
    const scripts = ['client', 'copy', 'session'].map((name) => `/docs/${name}.mjs`);
    const loaded = pages.flatMap((page) => page.match(/(?<=(?:href|src)=")docs\/[^"]+/g) ?? []);
    expect(pages.join('')).not.to.match(/<style|style=|<script>| on\w+=|[{](?:header|version|origin)[}]/);
    for (const path of ['/', '/docs', ...scripts, ...loaded.map((name) => `/${name}`)]) {
      const type = types[path.split('.')[1] ?? ''] ?? 'text/html; charset=utf-8';
      const { status, headers, body } = await get(path);
      expect([status, headers.get('content-type')], path).to.deep.equal([200, type]);
      expect(body, path)
        .not.to.equal('')
        .and.not.to.match(/[/*]# sourceMappingURL=/);
      if (!type.includes('html')) continue;
      expect(headers.get('content-security-policy'))
        .to.match(/^default-src 'none'; /)
        .and.not.match(/unsafe|\*|https?:/);
      expect(headers.get('x-frame-options')).to.equal('DENY');
      expect(headers.get('referrer-policy')).to.equal('no-referrer');
      expect(headers.get('cross-origin-resource-policy')).to.equal('same-origin');
    }
  });

  for (const path of [
    '/docs//theme.css',
    '/docs/reference.html',
    '/docs/..%2f..%2fpackage.json',
    '/docs/../../a',
  ]) {
    it(`do not include ${path}`, async () => {
      const { status, body } = await get(path);
      expect(status).to.equal(404);
      expect(body).to.contain('"route_not_found"');
    });
  }

  it('end with a line break, as JSON bodies do, so that a shell shows its prompt on a new line', async () => {
    for (const path of ['/', '/docs', '/openapi.json', '/livez', '/readyz', '/v1/pets', '/none']) {
      const { headers, body } = await get(path);
      expect(body, path).to.match(/.\n$/);
      expect(Buffer.byteLength(body), path).to.equal(Number(headers.get('content-length')));
    }
    expect((await get('/docs')).body).to.include('Loading the reference, which needs JavaScript');
  });

  it('come again only to a client that has another version', async () => {
    for (const path of ['/docs', '/openapi.json']) {
      const { headers } = await get(path);
      const etag = headers.get('etag') ?? '';
      expect(etag).to.match(/^"[\w-]+"$/);
      const fresh = await get(path, `If-None-Match: "another", W/${etag}`);
      expect([fresh.status, fresh.body, fresh.headers.get('etag')]).to.deep.equal([304, '', etag]);
      expect(fresh.headers.get('cache-control')).to.equal('no-cache');
      expect((await get(path, 'If-None-Match: "another"')).status).to.equal(200);
    }
  });

  it('load compressed files if the client accepts that, each with an ETag of its own', async () => {
    const path = '/docs/client.mjs';
    const load = (accepted: string) =>
      fetch(service.address + path, { headers: { 'Accept-Encoding': accepted } });
    const plain = await load('identity, br;q=0, gzip;q=0');
    const text = await plain.text();
    expect(plain.headers.get('content-encoding')).to.equal(null);
    const etags = new Set([plain.headers.get('etag')]);
    for (const [accepted, coding] of [
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip, br;q=0', 'gzip'],
    ] as const) {
      const answer = await load(accepted);
      const { headers } = answer;
      expect(headers.get('content-encoding')).to.equal(coding);
      expect(Number(headers.get('content-length'))).to.be.within(1_000, text.length / 2);
      expect(headers.get('vary')).to.equal('Accept-Encoding');
      expect(await answer.text()).to.equal(text);
      const etag = headers.get('etag') ?? '';
      etags.add(etag);
      const again = await get(path, `Accept-Encoding: ${accepted}`, `If-None-Match: ${etag}`);
      expect(again.status).to.equal(304);
    }
    expect(etags.size).to.equal(3);
  });

  for (const [protocol, host, origin] of [
    ['http', 'store.example:8080', 'http://store.example:8080'],
    ['javascript, https', 'forged.example, [::1]:8080', 'https://[::1]:8080'],
    ['https', 'evil.example/path', 'http://127.0.0.1:3000'],
    ['https', 'a b', 'http://127.0.0.1:3000'],
    ['javascript', 'store.example', 'http://127.0.0.1:3000'],
    ['https', "$'&a", 'http://127.0.0.1:3000'],
  ] as const) {
    it(`start with one that names ${origin} for ${protocol} and ${host} of a proxy`, async () => {
      const { body } = await get('/', `X-Forwarded-Proto: ${protocol}`, `X-Forwarded-Host: ${host}`);
      for (const part of ['href="docs"', 'href="openapi.json"', `curl ${origin}/v1/pets`]) {
        expect(body).to.include(part);
      }
    });
  }

  it('name the path prefix that a proxy has removed, as the OpenAPI document does', async () => {
    const prefixOf = async (path: string, prefix: string) =>
      (await get(path, `X-Forwarded-Prefix: ${prefix}`)).body;
    expect(await prefixOf('/', '/animals')).to.match(/curl \S+\/animals\/v1\/pets/);
    expect(await prefixOf('/openapi.json', '/animals/v2')).to.match(
      /"servers":\[{"url":"[^"]+\/animals\/v2\/v1"}\]/,
    );
    expect(await prefixOf('/', '/forged, /animals')).to.match(/curl http:\/\/[^/]+\/animals\/v1\/pets/);
    expect(await prefixOf('/', '/"><script>')).to.not.include('<script>');
  });

  it('lead from /docs/ to /docs, right under any prefix', async () => {
    const { status, headers, body } = await get('/docs/');
    expect([status, headers.get('location'), body]).to.deep.equal([308, '../docs', '']);
  });
});
