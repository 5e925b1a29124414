import axe from 'axe-core';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { hasChromium, openChromium, whySkipped } from '../../support/browser';
import { petOperations } from '../../../adapters/http';
import type { Listening } from '../../support/http/listen';
import { behindPath } from '../../support/http/proxies';
import { apiKey } from '../../support/service/serve-in-process';
import { type ServiceProcess, startService } from '../../support/service/service-process';

/** Accessibility faults of Swagger UI itself, whose markup this project cannot change: rules and selectors. */
const faultsOfSwaggerUi = [
  ['heading-order', 'h3.opblock-tag'],
  ['landmark-unique', 'table.responses-table[role=region]'],
  ['nested-interactive', 'button.opblock-summary-control'],
  ['region', '.information-container, .information-container *, .scheme-container, .scheme-container *'],
];

/** Returns the other faults that axe-core finds on a page: their rules and elements. */
const accessibilityFaults = async (page: Page): Promise<unknown> => {
  await page.evaluate(axe.source);
  return page.evaluate(`
    axe.run({ preload: false }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) =>
        nodes
          .map(({ target: [place] }) => [id, place])
          .filter(([rule, place]) => !${JSON.stringify(faultsOfSwaggerUi)}.some(
            ([known, selector]) => known === rule && document.querySelector(place).matches(selector)))))
  `);
};

/** Waits until the transitions of colours have ended. */
const transitionsEnd = 'Promise.allSettled(document.getAnimations().map(({ finished }) => finished))';

const expectNoFaultInLightAndDark = async (page: Page): Promise<void> => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(transitionsEnd);
    expect(await accessibilityFaults(page), colorScheme).to.deep.equal([]);
  }
};

const expectNoOverflow = async (page: Page, text: string): Promise<void> => {
  const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
  expect(overflow, `pixels by which the page is too wide ${text}`).to.equal(0);
};

/** Replaces the fonts of a page by a wide one, with the spacing of letters that WCAG 2.2, 1.4.12, requires to fit. */
const widenText = `{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('* { font-family: monospace !important; letter-spacing: 0.12em !important }');
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}`;

const operationOf = (page: Page, operationId: string) => page.locator(`[id$="-${operationId}"]`);

const toggle = (page: Page, operationId: string) =>
  operationOf(page, operationId).locator('.opblock-summary-control').click();

const sizes = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };

/** Collects console messages of a page, and its requests to other addresses. */
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

/** Fills in the fields of an operation and executes it. Returns the displayed response. */
const tryIt = async (
  page: Page,
  operationId: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<string> => {
  const operation = operationOf(page, operationId);
  await toggle(page, operationId);
  for (const [selector, text] of Object.entries(fields)) await operation.locator(selector).fill(text);
  await operation.getByRole('button', { name: 'Execute' }).click();
  const answer = operation.locator('.live-responses-table .response');
  const status = await answer.locator('.response-col_status').textContent();
  const body = await answer.locator('.highlight-code code').first().textContent();
  return `${status?.trim() ?? ''} ${body ?? ''}`;
};

describe(`The reference in a browser${whySkipped}`, function () {
  let browser: Browser;
  let service: ServiceProcess;
  let proxy: Listening;

  before(async function () {
    if (!hasChromium) this.skip();
    service = await startService({ DATABASE_URL: 'memory:', API_KEYS: apiKey });
    proxy = await behindPath('/store', service.address);
    browser = await openChromium();
  });
  after(async () => {
    if (!hasChromium) return;
    await browser.close();
    await proxy.close();
    await service.stop();
  });

  const openReference = async (viewport = sizes.desktop): Promise<Page> => {
    const page = await browser.newPage({ viewport });
    await page.goto(`${service.address}/docs`);
    await page.locator('.opblock').first().waitFor();
    return page;
  };

  for (const [name, viewport] of Object.entries(sizes)) {
    it(`adds and lists animals on a ${name}, to the last digit, and sends no request elsewhere`, async () => {
      const page = await browser.newPage({ viewport });
      const faults = watch(page, service.address);
      await page.goto(`${service.address}/docs`);
      await page.locator('.opblock').first().waitFor();
      expect(await page.title()).to.equal('Animal store: API reference');

      await authorize(page);
      const body = `{"name": "${name} é🐕", "categoryId": -9223372036854775807}`;
      const created = await tryIt(page, 'createPet', { textarea: body });
      expect(created).to.match(/^201 /);
      expect(created)
        .to.contain(`"name": "${name} é🐕"`)
        .and.to.contain('"categoryId": -9223372036854775807');
      const listed = await tryIt(page, 'listPets', { '[data-param-name=limit] input': '100' });
      expect(listed).to.match(/^200 \[/);
      expect(listed).to.contain(`"name": "${name} é🐕"`);

      await expectNoOverflow(page, `on a ${name}`);
      expect(faults).to.deep.equal([]);
      await page.close();
    });
  }

  it('fits a screen of 320 pixels in any font, with each operation open and a long name', async () => {
    const page = await openReference({ width: 320, height: 640 });
    await page.evaluate(widenText);
    await expectNoOverflow(page, 'at first');
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    await expectNoOverflow(page, 'with the dialog for the key');
    await page.getByRole('button', { name: 'Close' }).last().click();
    await authorize(page);
    await tryIt(page, 'createPet', { textarea: `{"name": "${'W'.repeat(1000)}", "categoryId": 1}` });
    await expectNoOverflow(page, 'with createPet');
    await tryIt(page, 'listPets');
    await expectNoOverflow(page, 'with listPets');
    await tryIt(page, 'getPet', { '[data-param-name=petId] input': '1' });
    await expectNoOverflow(page, 'with getPet');
    for (const summary of await page.locator('details > summary').all()) await summary.press('Enter');
    await expectNoOverflow(page, 'with the table of error codes');
    await page.close();
  });

  it('works behind a path of a proxy', async () => {
    const page = await browser.newPage();
    const faults = watch(page, proxy.address);
    await page.goto(`${proxy.address}/docs`);
    await authorize(page);
    expect(await tryIt(page, 'listPets')).to.match(/^200 \[/);
    expect(faults).to.deep.equal([]);
    await page.close();
  });

  it("shows each operation, with no fault of access but Swagger UI's own", async () => {
    const page = await openReference();
    expect(await page.locator('.opblock').count()).to.equal(Object.keys(petOperations).length);
    for (const operationId of Object.keys(petOperations)) {
      await toggle(page, operationId);
      await operationOf(page, operationId).locator('.responses-table').first().waitFor();
    }
    await expectNoOverflow(page, 'with each operation');
    expect(await page.getByRole('combobox', { name: 'Server' }).count()).to.equal(1);
    for (const summary of await page.locator('details > summary').all()) await summary.press('Enter');
    await page.getByRole('button', { name: 'Execute' }).first().click();
    await page.locator('.live-responses-table').waitFor();
    expect(await page.locator('main').count()).to.equal(1);
    await expectNoFaultInLightAndDark(page);
    await page.close();
  });

  it('names the fields of status and body to a screen reader', async () => {
    const page = await openReference();
    for (const operationId of ['listPets', 'createPet']) await toggle(page, operationId);
    await page.getByRole('combobox', { name: 'status' }).selectOption('sold');
    await page.getByRole('textbox', { name: 'Request body' }).fill('{}');
    await page.close();
  });

  for (const [name, viewport] of Object.entries(sizes)) {
    it(`begins with a page whose examples are whole on a ${name}, and can be reached by keyboard`, async () => {
      const page = await browser.newPage({ viewport });
      const faults = watch(page, service.address);
      await page.goto(service.address);
      await expectNoOverflow(page, `on a ${name}`);
      const examples = await page.locator('pre').all();
      expect(examples).to.have.length(2);
      for (const example of examples) {
        const hidden = await example.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
        expect(hidden, 'pixels of an example that are hidden').to.equal(0);
        await example.focus();
        expect(await example.and(page.locator(':focus')).count()).to.equal(1);
      }
      await expectNoFaultInLightAndDark(page);
      expect(faults).to.deep.equal([]);
      await page.close();
    });
  }
});
