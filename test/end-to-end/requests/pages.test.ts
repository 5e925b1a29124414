import { expect } from 'chai';
import { headOf, rawExchange } from '../../support/http/raw-connection';
import { apiKey } from '../../support/service/serve-in-process';
import { type ServiceProcess, startService } from '../../support/service/service-process';

const files = {
  '/': 'text/html; charset=utf-8',
  '/docs': 'text/html; charset=utf-8',
  '/docs/icon.svg': 'image/svg+xml',
  '/docs/page.css': 'text/css; charset=utf-8',
  '/docs/reference.mjs': 'text/javascript; charset=utf-8',
  '/docs/start.css': 'text/css; charset=utf-8',
  '/docs/swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  '/docs/swagger-ui.css': 'text/css; charset=utf-8',
};

describe('The pages', () => {
  let service: ServiceProcess;
  before(async () => {
    service = await startService({ DATABASE_URL: 'memory:', API_KEYS: apiKey });
  });
  after(() => service.stop());

  const get = (path: string, host = 'animals.example') =>
    rawExchange(service.address, headOf(`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: close'));

  it('come without a key, with their types, and load from their own origin only, nothing inline', async () => {
    for (const [path, type] of Object.entries(files)) {
      const { status, headers, body } = await get(path);
      expect([status, headers.get('content-type')], path).to.deep.equal([200, type]);
      expect(body, path).not.to.equal('');
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
    '/docs//page.css',
    '/docs/index.html',
    '/docs/..%2f..%2fpackage.json',
    '/docs/../../a',
  ]) {
    it(`do not include ${path}`, async () => {
      const { status, body } = await get(path);
      expect(status).to.equal(404);
      expect(body).to.contain('"route_not_found"');
    });
  }

  it('start with one that names its address to paste, but no Host with special characters', async () => {
    const { body } = await get('/');
    for (const part of ['href="docs"', 'href="openapi.json"', 'curl http://animals.example/v1/pets']) {
      expect(body).to.include(part);
    }
    expect((await get('/', "$'&a")).body).to.contain('curl http://127.0.0.1:3000/v1/pets');
  });

  it('lead from /docs/ to /docs, right under any prefix', async () => {
    const { status, headers, body } = await get('/docs/');
    expect([status, headers.get('location'), body]).to.deep.equal([308, '../docs', '']);
  });
});
