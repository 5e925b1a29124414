import { expect } from 'chai';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { behindPath, type Proxy } from '../support/behind-path';
import { hasChromium, openChromium, whySkipped } from '../support/chromium';
import { apiKey, runService } from '../support/run-service';
import type { ServiceProcess } from '../support/service-process';

const sizes = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };

/** What a page did that it should not have: messages in its console, requests to anywhere else. */
const watch = (page: Page, address: string): ReadonlyArray<string> => {
  const seen: Array<string> = [];
  page.on('console', (message) => seen.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => seen.push(`error: ${error.message}`));
  page.on('requestfailed', (request) => seen.push(`failed: ${request.url()}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${address}/`) && !url.startsWith('data:')) seen.push(`outside: ${url}`);
  });
  return seen;
};

const authorize = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Authorize' }).first().click();
  await page.getByRole('textbox', { name: 'auth-bearer-value' }).fill(apiKey);
  await page.getByRole('button', { name: 'Apply credentials' }).click();
  await page.getByRole('button', { name: 'Close' }).last().click();
};

/** Tries an operation, its fields filled in, and reads the answer that is shown. */
const tryIt = async (
  page: Page,
  operationId: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<string> => {
  const operation = page.locator(`[id$="-${operationId}"]`);
  await operation.locator('.opblock-summary-control').click();
  for (const [selector, text] of Object.entries(fields)) await operation.locator(selector).fill(text);
  await operation.getByRole('button', { name: 'Execute' }).click();
  const answer = operation.locator('.live-responses-table .response');
  const status = await answer.locator('.response-col_status').textContent();
  const body = await answer.locator('.highlight-code code').first().textContent();
  return `${status?.trim() ?? ''} ${body ?? ''}`;
};

describe(`The reference in a browser${whySkipped}`, function () {
  // A browser on a busy machine.
  this.timeout(60_000);
  let browser: Browser;
  let service: ServiceProcess;
  let proxy: Proxy;
  let screenshots: string;

  before(async function () {
    if (!hasChromium) this.skip();
    service = await runService();
    proxy = await behindPath('/store', service.address);
    browser = await openChromium();
    screenshots = await mkdtemp(join(tmpdir(), 'animal-store-docs-'));
  });
  after(async () => {
    if (!hasChromium) return;
    await browser.close();
    await proxy.stop();
    await service.stop();
  });

  for (const [name, viewport] of Object.entries(sizes)) {
    it(`adds and lists animals on a ${name}, to the last digit, and asks nobody else`, async () => {
      const page = await browser.newPage({ viewport });
      const misdeeds = watch(page, service.address);
      const shoot = (what: string) => page.screenshot({ path: join(screenshots, `${name}-${what}.png`) });
      await page.goto(`${service.address}/docs`);
      await page.locator('.opblock').first().waitFor();
      expect(await page.title()).to.equal('Animal store: API reference');
      await shoot('start');

      await authorize(page);
      const body = `{"name": "${name} é🐕", "categoryId": -9223372036854775807}`;
      const created = await tryIt(page, 'createPet', { textarea: body });
      expect(created).to.match(/^201 /);
      expect(created)
        .to.contain(`"name": "${name} é🐕"`)
        .and.to.contain('"categoryId": -9223372036854775807');
      await shoot('create');
      const listed = await tryIt(page, 'listPets', { '[data-param-name=limit] input': '100' });
      expect(listed).to.match(/^200 \[/);
      expect(listed).to.contain(`"name": "${name} é🐕"`);
      await shoot('list');

      const overflow = 'document.documentElement.scrollWidth - window.innerWidth';
      expect(await page.evaluate(overflow)).to.equal(0);
      expect(misdeeds).to.deep.equal([]);
      await page.close();
    });
  }

  it('shows the real answer to a call without a key', async () => {
    const page = await browser.newPage();
    await page.goto(`${service.address}/docs`);
    expect(await tryIt(page, 'listPets')).to.match(/^401 .*"code": "unauthorized"/s);
    await page.close();
  });

  it('works behind a path of a proxy', async () => {
    const page = await browser.newPage();
    const misdeeds = watch(page, proxy.address);
    await page.goto(`${proxy.address}/docs`);
    await authorize(page);
    expect(await tryIt(page, 'listPets')).to.match(/^200 \[/);
    expect(await tryIt(page, 'getLiveness')).to.match(/^200 .*"live"/s);
    expect(misdeeds).to.deep.equal([]);
    await page.close();
  });
});
