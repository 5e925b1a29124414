import { expect } from 'chai';
import { type RawAnswer, rawExchange } from '../../support/http/raw-connection';
import { apiKey } from '../../support/service/serve-in-process';
import { type ServiceProcess, startService } from '../../support/service/service-process';

const files = {
  '/docs': 'text/html; charset=utf-8',
  '/docs/authorization.mjs': 'text/javascript; charset=utf-8',
  '/docs/exact-response-body.mjs': 'text/javascript; charset=utf-8',
  '/docs/folded-failures.mjs': 'text/javascript; charset=utf-8',
  '/docs/icon.svg': 'image/svg+xml',
  '/docs/landmarks.mjs': 'text/javascript; charset=utf-8',
  '/docs/page.css': 'text/css; charset=utf-8',
  '/docs/reference.mjs': 'text/javascript; charset=utf-8',
  '/docs/swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  '/docs/swagger-ui.css': 'text/css; charset=utf-8',
};

const uncompressed = { 'Accept-Encoding': 'identity' };

const elsewhere = [
  '/DOCS',
  '/docs//page.css',
  '/docs/page.css/',
  '/docs/index.html',
  '/docs/swagger-ui/swagger-ui.css',
  '/docs/swagger-ui.css.map',
  '/docs/..',
  '/docs/../docs/page.css',
  '/docs/..%2f..%2fpackage.json',
  '/docs/%2e%2e/%2e%2e/package.json',
  '/docs/..%5c..%5cpackage.json',
  '/docs/page.css%00.html',
  '/docs/../../../../../../../../etc/passwd',
  '/docs//etc/passwd',
  '/docs/file:///etc/passwd',
  '/docs/%00',
  '/docs/....//x',
  '/docs/swagger-ui/../index.html',
];

describe('The files of the reference', () => {
  let service: ServiceProcess;
  before(async () => {
    service = await startService({ DATABASE_URL: 'memory:', API_KEYS: apiKey });
  });
  after(() => service.stop());

  const get = (path: string, field = 'Accept: */*'): Promise<RawAnswer> =>
    rawExchange(
      service.address,
      `GET ${path} HTTP/1.1\r\nHost: animals\r\n${field}\r\nConnection: close\r\n\r\n`,
    );

  for (const [path, type] of Object.entries(files)) {
    it(`${path} comes without a key, and is asked after before it is used again`, async () => {
      const answer = await fetch(service.address + path, { headers: uncompressed });
      expect(answer.status).to.equal(200);
      expect(answer.headers.get('Content-Type')).to.equal(type);
      expect(answer.headers.get('Cache-Control')).to.equal('no-cache');
      expect(answer.headers.get('X-Content-Type-Options')).to.equal('nosniff');

      const etag = answer.headers.get('ETag') ?? '';
      expect((await get(path, `If-None-Match: ${etag}`)).status).to.equal(304);
      expect((await get(path, 'If-None-Match: "another"')).status).to.equal(200);

      const head = await fetch(service.address + path, { method: 'HEAD', headers: uncompressed });
      for (const name of ['Content-Type', 'Content-Length', 'ETag', 'Cache-Control']) {
        expect(head.headers.get(name), name).to.equal(answer.headers.get(name));
      }

      const zipped = await fetch(service.address + path, { headers: { 'Accept-Encoding': 'gzip, deflate' } });
      expect(zipped.headers.get('Content-Encoding')).to.equal('gzip');
      expect(zipped.headers.get('ETag')).to.not.equal(etag);
      expect(await zipped.text()).to.equal(await answer.text());
    });
  }

  for (const path of elsewhere) {
    it(`nothing is at ${path}`, async () => {
      const { status, body } = await get(path);
      expect(status).to.equal(404);
      expect(body).to.contain('"route_not_found"');
    });
  }

  it('can only be read', async () => {
    const answer = await fetch(`${service.address}/docs`, { method: 'POST' });
    expect(answer.status).to.equal(405);
    expect(answer.headers.get('Allow')).to.equal('GET, HEAD');
  });

  it('let the page load from its own origin alone, and nothing inline or evaluated', async () => {
    const { headers } = await fetch(`${service.address}/docs`);
    const policy = headers.get('Content-Security-Policy') ?? '';
    expect(policy).to.match(/^default-src 'none'; /);
    expect(policy).not.to.match(/unsafe|\*|https?:/);
    const others = await fetch(`${service.address}/openapi.json`);
    expect(others.headers.get('Content-Security-Policy')).to.equal(
      "default-src 'none'; frame-ancestors 'none'",
    );
  });
});
