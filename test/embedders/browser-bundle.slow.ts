import { expect } from 'chai';
import { gzipSync } from 'node:zlib';
import { hasChromium, openChromium, whySkipped } from '../support/browser';
import { markdownBlocks } from '../support/markdown';
import { removeFolders } from '../support/temporary-folder';
import { bundleForBrowser, embedderFolder } from './support/embedder-folder';

const [program] = markdownBlocks('README.md').filter(({ language }) => language === 'js');

describe('The core and the in-memory adapters, bundled for a browser', () => {
  after(removeFolders);

  let bundle = '';
  before(async () => {
    bundle = await bundleForBrowser(await embedderFolder(), program?.text ?? '');
  });

  it('are 23 kB at most with embeddedClient, gzipped, fp-ts and io-ts included', () => {
    expect(gzipSync(bundle).byteLength).to.be.within(5_000, 23_000);
  });

  (hasChromium ? it : it.skip)(`create an animal there${whySkipped}`, async () => {
    const browser = await openChromium();
    try {
      const page = await browser.newPage();
      const errors: Array<string> = [];
      page.on('pageerror', ({ message }) => errors.push(message));
      const logged = page.waitForEvent('console', { timeout: 30_000 });
      await page.addScriptTag({ content: bundle, type: 'module' });
      const [created] = (await logged).args();
      const value: unknown = await created?.jsonValue();
      expect(value).to.deep.equal({ id: 1n, name: 'Rex', categoryId: 7n, status: 'available' });
      expect(errors).to.deep.equal([]);
    } finally {
      await browser.close();
    }
  });
});
