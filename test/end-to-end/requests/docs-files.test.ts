import { expect } from 'chai';
import { getRequest, rawExchange } from '../../support/http/raw-connection';
import { apiKey } from '../../support/service/serve-in-process';
import { type ServiceProcess, startService } from '../../support/service/service-process';

const files = {
  '/docs': 'text/html; charset=utf-8',
  '/docs/icon.svg': 'image/svg+xml',
  '/docs/page.css': 'text/css; charset=utf-8',
  '/docs/reference.mjs': 'text/javascript; charset=utf-8',
  '/docs/start.css': 'text/css; charset=utf-8',
  '/docs/swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  '/docs/swagger-ui.css': 'text/css; charset=utf-8',
};

describe('The files of the reference', () => {
  let service: ServiceProcess;
  before(async () => {
    service = await startService({ DATABASE_URL: 'memory:', API_KEYS: apiKey });
  });
  after(() => service.stop());

  it('come without a key, with their types', async () => {
    for (const [path, type] of Object.entries(files)) {
      const answer = await fetch(service.address + path);
      expect([answer.status, answer.headers.get('Content-Type')], path).to.deep.equal([200, type]);
      expect(await answer.text(), path).not.to.equal('');
    }
  });

  for (const path of [
    '/docs//page.css',
    '/docs/index.html',
    '/docs/..%2f..%2fpackage.json',
    '/docs/../../a',
  ]) {
    it(`do not include ${path}`, async () => {
      const { status, body } = await rawExchange(service.address, getRequest(path, 'Connection: close'));
      expect(status).to.equal(404);
      expect(body).to.contain('"route_not_found"');
    });
  }

  it('let the page load from its own origin alone, and nothing inline or evaluated', async () => {
    for (const path of ['/', '/docs']) {
      const { headers } = await fetch(service.address + path);
      const policy = headers.get('Content-Security-Policy') ?? '';
      expect(policy).to.match(/^default-src 'none'; /);
      expect(policy).not.to.match(/unsafe|\*|https?:/);
      expect(headers.get('X-Frame-Options')).to.equal('DENY');
      expect(headers.get('Referrer-Policy')).to.equal('no-referrer');
      expect(headers.get('Cross-Origin-Resource-Policy')).to.equal('same-origin');
    }
  });
});
