import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { animalStoreClient } from '../../adapters/http-client';
import { hasChromium, openChromium, whySkipped } from '../support/browser';
import { servePlainly } from '../support/http/listen';
import { projectFolder } from '../support/processes/command';
import { type ServiceProcess, startService } from '../support/service/service-process';
import { removeFolders } from '../support/temporary-folder';
import { bundleForBrowser, embedderFolder } from './support/embedder-folder';

const apiKey = 'a-key-for-pages';

interface Site {
  readonly file: string;
  readonly page: string;
}

/** Serves a page and a script of its own, and opens the page in a browser. */
const inPage = async ({ file, page }: Site, test: (page: Page) => Promise<void>): Promise<void> => {
  const site = await servePlainly((request, response) => {
    const isScript = request.url === '/script.mjs';
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html; charset=utf-8');
    response.end(isScript ? file : page);
  });
  const browser = await openChromium();
  try {
    const opened = await browser.newPage();
    await opened.goto(site.address);
    await test(opened);
  } finally {
    await browser.close();
    await site.close();
  }
};

describe('A page of a browser', () => {
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

  (hasChromium ? it : it.skip)(`loads the client as one file, without a bundler${whySkipped}`, async () => {
    const folder = await embedderFolder();
    const file = await readFile(join(folder, 'node_modules/animal-store/dist/client.mjs'), 'utf8');
    expect(gzipSync(file).byteLength).to.be.below(7_000);
    const page = `<p></p><script type="module">
      import { animalStoreClient } from './script.mjs';
      const { pets } = await animalStoreClient(${settings()}).page({ pageSize: 2 });
      document.querySelector('p').textContent = pets.map(({ id, name }) => id + name).join();
    </script>`;
    await inPage({ file, page }, async (opened) => {
      await opened.waitForFunction("document.querySelector('p').textContent === '1pet 1,2pet 2'");
    });
  });

  (hasChromium ? it : it.skip)(`shows the animals in pages, with React${whySkipped}`, async () => {
    const folder = await embedderFolder('react', 'react-dom', 'scheduler');
    const program = await readFile(join(projectFolder, 'test/examples/clients/pets.jsx'), 'utf8');
    const file = await bundleForBrowser(folder, program, 'jsx');
    const page = `<div id="pets"></div><script>window.settings = ${settings()}</script>
      <script type="module" src="/script.mjs"></script>`;
    await inPage({ file, page }, async (opened) => {
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
