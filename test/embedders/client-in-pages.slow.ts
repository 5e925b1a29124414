import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { animalStoreClient } from '../../adapters/client';
import { useBrowser, whySkipped } from '../support/browser';
import { servePlainly } from '../support/http/listen';
import { forwardBelow } from '../support/http/proxies';
import { projectFolder } from '../support/processes/command';
import { type ServiceProcess, startService } from '../support/service/service-process';
import { removeFolders } from '../support/temporary-folder';
import { bundleForBrowser, embedderFolder } from './support/embedder-folder';

const apiKey = 'a-key-for-pages';

interface Site {
  /** Scripts by their paths. */
  readonly scripts: Readonly<Record<string, string>>;
  readonly page: string;
}

describe(`A page of a browser${whySkipped}`, () => {
  const browser = useBrowser();
  /** Serves a page and its scripts, with the service below /api, and opens the page in a browser. */
  const inPage = async ({ scripts, page }: Site, test: (page: Page) => Promise<void>): Promise<void> => {
    const forward = forwardBelow('/api', service.address, { authorization: `Bearer ${apiKey}` });
    const site = await servePlainly((request, response) => {
      if (request.url?.startsWith('/api/') === true) {
        forward(request, response);
        return;
      }
      const script = scripts[request.url ?? ''];
      response.setHeader(
        'Content-Type',
        script === undefined ? 'text/html; charset=utf-8' : 'text/javascript',
      );
      response.end(script ?? page);
    });
    try {
      const opened = await browser.newPage();
      await opened.goto(site.address);
      await test(opened);
      await opened.close();
    } finally {
      await site.close();
    }
  };

  let service: ServiceProcess;
  beforeEach(async () => {
    service = await startService({ DATABASE_URL: 'memory:', API_KEYS: apiKey, CORS_ORIGIN: '*' });
    const animals = animalStoreClient({ baseUrl: service.address, apiKey });
    for (let number = 1; number <= 25; number += 1)
      await animals.create({ name: `pet ${number}`, categoryId: 7 });
  });
  afterEach(() => service.stop());
  after(removeFolders);

  const settings = (): string => JSON.stringify({ baseUrl: service.address, apiKey });

  it('and a worker load the client as one file, without a bundler', async () => {
    const folder = await embedderFolder();
    const client = await readFile(join(folder, 'node_modules/animal-store/dist/client.mjs'), 'utf8');
    const read = (report: string): string => `
      import { animalStoreClient } from './client.mjs';
      const { pets } = await animalStoreClient(${settings()}).page({ pageSize: 2 });
      ${report}(pets.map(({ id, name }) => id + name).join());`;
    const page = `<p></p><p></p><script type="module">
      const [inPage, inWorker] = document.querySelectorAll('p');
      new Worker('./worker.mjs', { type: 'module' }).onmessage = ({ data }) => inWorker.append(data);
      ${read('inPage.append')}
    </script>`;
    const scripts = { '/client.mjs': client, '/worker.mjs': read('postMessage') };
    await inPage({ scripts, page }, async (opened) => {
      for (const index of [0, 1]) await opened.getByText('1pet 1,2pet 2').nth(index).waitFor();
    });
  });

  it('adds, filters, sorts and loads more animals in an example of at most 70 lines', async () => {
    const folder = await embedderFolder();
    const client = await readFile(join(folder, 'node_modules/animal-store/dist/client.mjs'), 'utf8');
    const page = await readFile(join(projectFolder, 'test/examples/clients/page.html'), 'utf8');
    expect(page.trimEnd().split('\n').length, 'lines').to.be.at.most(70);
    await inPage({ scripts: { '/client.mjs': client }, page }, async (opened) => {
      const [add, filter] = [opened.locator('#add'), opened.locator('#filter')];
      const shows = async (count: number, first: string): Promise<void> => {
        await opened
          .locator('li')
          .nth(count - 1)
          .and(opened.locator('li:last-child'))
          .waitFor();
        await opened.getByText(first).and(opened.locator('li:first-child')).waitFor();
      };
      const more = opened.getByRole('button', { name: 'Load more' });
      await shows(10, '1: pet 1 (7)');
      await more.click();
      await shows(20, '1: pet 1 (');
      await more.click();
      await shows(25, '1: pet 1 (');
      expect(await more.isDisabled()).to.equal(true);
      await filter.getByLabel('Newest first').check();
      await shows(10, '25: pet 25 (');

      await add.getByRole('button').click();
      await add.getByText('categoryId is required').waitFor();
      await add.getByLabel('Name').fill('<b>Rex</b>');
      await add.getByLabel('Category').fill('9007199254740993');
      await opened.route('**/v1/pets', async (route) => {
        await route.fetch();
        await route.abort();
      });
      await add.getByRole('button').click();
      await add.getByText('no answer').waitFor();
      await opened.unroute('**/v1/pets');
      for (const id of [26, 27]) {
        await add.getByRole('button').click();
        await shows(10, `${id}: <b>Rex</b> (9007199254740993)`);
      }
      await filter.getByLabel('Category').fill('9007199254740993');
      await filter.getByLabel('Category').press('Enter');
      await shows(2, '27: <b>Rex</b>');
      await filter.getByLabel('Status').selectOption('sold');
      await opened.locator('ul:empty').waitFor({ state: 'attached' });
    });
  });

  it('shows the animals in pages, with React', async () => {
    const folder = await embedderFolder('react', 'react-dom', 'scheduler');
    const program = await readFile(join(projectFolder, 'test/examples/clients/pets.jsx'), 'utf8');
    const script = await bundleForBrowser(folder, program, 'jsx');
    const page = `<div id="pets"></div><script>window.settings = ${settings()}</script>
      <script type="module" src="/script.mjs"></script>`;
    await inPage({ scripts: { '/script.mjs': script }, page }, async (opened) => {
      const shows = async (first: number, last: number): Promise<void> => {
        for (const id of [first, last]) await opened.getByText(`${id}: pet ${id}`, { exact: true }).waitFor();
        expect(await opened.locator('li').count()).to.equal(last - first + 1);
      };
      const [previous, next] = [opened.getByText('Previous page'), opened.getByText('Next page')];
      await shows(1, 10);
      expect(await previous.isDisabled()).to.equal(true);
      await next.click();
      await shows(11, 20);
      await next.click();
      await shows(21, 25);
      expect(await next.isDisabled()).to.equal(true);
      await previous.click();
      await shows(11, 20);
    });
  });
});
