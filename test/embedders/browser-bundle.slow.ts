import { expect } from 'chai';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { hasChromium, openChromium, whySkipped } from '../support/browser';
import { startProgram } from '../support/processes/command';
import { markdownBlocks } from '../support/markdown';
import { removeFolders } from '../support/temporary-folder';
import { embedderFolder, toolFolder } from './support/embedder-folder';

const [program] = markdownBlocks('README.md').filter(({ language }) => language === 'js');

/** The README's first program as a script for a browser, with no shim for what Node has and a browser has not. */
const bundleForBrowser = async (): Promise<string> => {
  const folder = await embedderFolder();
  await writeFile(join(folder, 'shelter.mjs'), program?.text ?? '');
  const options = ['--bundle', '--minify', '--platform=browser', '--format=esm', '--outfile=shelter.js'];
  const bundling = await startProgram(toolFolder('.bin/esbuild'), ['shelter.mjs', ...options], { folder })
    .ended;
  expect(bundling.code, bundling.stderr).to.equal(0);
  return readFile(join(folder, 'shelter.js'), 'utf8');
};

describe('The core and the in-memory adapters, bundled for a browser', () => {
  after(removeFolders);

  let bundle = '';
  before(async () => {
    bundle = await bundleForBrowser();
  });

  it('are 21 kB at most with embeddedClient, gzipped, fp-ts and io-ts included', () => {
    expect(gzipSync(bundle).byteLength).to.be.within(5_000, 21_000);
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
