import { expect } from 'chai';
import { buildSync } from 'esbuild';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { useBrowser, whySkipped } from '../../support/browser';
import { type Listening, servePlainly } from '../../support/http/listen';
import { projectFolder } from '../../support/processes/command';

const bundle = (): string =>
  buildSync({
    entryPoints: [join(projectFolder, 'adapters/client/index.ts')],
    bundle: true,
    format: 'iife',
    globalName: 'store',
    platform: 'browser',
    write: false,
  }).outputFiles[0]?.text ?? '';

describe(`The client in a page${whySkipped}`, () => {
  const browser = useBrowser();
  let site: Listening;
  let page: Page;
  const client = bundle();
  const paths: Array<string | undefined> = [];
  before(async () => {
    site = await servePlainly((request, response) => {
      paths.push(request.url);
      response.setHeader('Content-Type', request.url === '/' ? 'text/html' : 'application/json');
      response.end(request.url === '/' ? '<p>' : '[]');
    });
    page = await browser.newPage();
    await page.goto(site.address);
    await page.addScriptTag({ content: client });
  });
  after(() => site.close());

  it('names the three causes of a request that the browser refuses', async () => {
    const other = await servePlainly((_request, response) => response.end('[]'));
    const call = (baseUrl: string): Promise<string> =>
      page.evaluate<string>(`
        store.animalStoreClient({ baseUrl: '${baseUrl}', apiKey: 'k1' }).page({ retryForMs: 0 })
          .catch(({ code, message }) => code + ' ' + message)`);
    const withoutCors = await call(other.address);
    await other.close();
    const notRunning = await call(other.address);
    for (const text of [withoutCors, notRunning]) {
      expect(text).to.match(/^network no answer: Failed to fetch; is the service running, /);
      expect(text).to.include(other.address).and.include(`CORS_ORIGIN the origin ${site.address}?`);
    }
  });

  it('names no CORS_ORIGIN to a page of the same origin', async () => {
    await page.route('**/lost/**', (route) => route.abort());
    const message = await page.evaluate<string>(
      "store.animalStoreClient({ baseUrl: '/lost' }).page({ retryForMs: 0 }).catch(({ message }) => message)",
    );
    expect(message).to.match(/is the service running, and is http\S+\/lost\/v1\/pets\S+ its address\?$/);
  });

  it('calls a service at an address relative to the page, without a key', async () => {
    const call = "store.animalStoreClient({ baseUrl: '/api' }).page().then(({ pets }) => pets.length)";
    expect(await page.evaluate<number>(call)).to.equal(0);
    expect(paths).to.include('/api/v1/pets?limit=100');
  });
});
