import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { animalStoreClient } from '../../adapters/client';
import { hasChromium, openChromium, whySkipped } from '../support/browser';
import { servePlainly } from '../support/http/listen';
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

/** Serves a page and its scripts, and opens the page in a browser. */
const inPage = async ({ scripts, page }: Site, test: (page: Page) => Promise<void>): Promise<void> => {
  const site = await servePlainly((request, response) => {
    const script = scripts[request.url ?? ''];
    response.setHeader('Content-Type', script === undefined ? 'text/html; charset=utf-8' : 'text/javascript');
    response.end(script ?? page);
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

  (hasChromium ? it : it.skip)(
    `and a worker load the client as one file, without a bundler${whySkipped}`,
    async () => {
      const folder = await embedderFolder();
      const client = await readFile(join(folder, 'node_modules/animal-store/dist/client.mjs'), 'utf8');
      expect(gzipSync(client).byteLength, 'as docs/client.md says').to.be.below(7_000);
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
    },
  );

  (hasChromium ? it : it.skip)(`shows the animals in pages, with React${whySkipped}`, async () => {
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
