import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { whySkipped } from '../../support/browser';
import { petOperations } from '../../../adapters/http';
import {
  expectNoFaultInLightAndDark,
  expectNoOverflow,
  sizes,
  watch,
  widenText,
} from '../../support/page-checks';
import { apiKey } from '../../support/service/serve-in-process';
import { useServedPages } from '../../support/service/served-pages';

const operationOf = (page: Page, operationId: string) => page.locator(`[id$="-${operationId}"]`);

/** Opens an operation, unless it is open, as the first one is at the start. */
const open = async (page: Page, operationId: string): Promise<void> => {
  const control = operationOf(page, operationId).locator('.opblock-summary-control');
  if ((await control.getAttribute('aria-expanded')) === 'false') await control.click();
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
  await open(page, operationId);
  for (const [selector, text] of Object.entries(fields)) await operation.locator(selector).fill(text);
  await operation.getByRole('button', { name: 'Execute' }).click();
  const answer = operation.locator('.live-responses-table .response');
  const status = await answer.locator('.response-col_status').textContent();
  const body = await answer.locator('.highlight-code code').first().textContent();
  return `${status?.trim() ?? ''} ${body ?? ''}`;
};

describe(`The reference in a browser${whySkipped}`, () => {
  const { browser, address } = useServedPages();

  const openReference = async (viewport = sizes.desktop): Promise<Page> => {
    const page = await browser.newPage({ viewport });
    await page.goto(`${address()}/docs`);
    await page.locator('.opblock').first().waitFor();
    return page;
  };

  for (const [name, viewport] of Object.entries(sizes)) {
    it(`adds and lists animals on a ${name}, to the last digit, and sends no request elsewhere`, async () => {
      const page = await browser.newPage({ viewport });
      const faults = watch(page, address());
      await page.goto(`${address()}/docs`);
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

  it('shows each operation, with no fault of access', async () => {
    const page = await openReference();
    expect(await page.locator('.opblock.is-open').getAttribute('id')).to.match(/-listPets$/);
    expect(await page.locator('.opblock').count()).to.equal(Object.keys(petOperations).length);
    for (const operationId of Object.keys(petOperations)) {
      await open(page, operationId);
      await operationOf(page, operationId).locator('.responses-table').first().waitFor();
    }
    await expectNoOverflow(page, 'with each operation');
    expect(await page.getByRole('combobox', { name: 'Server' }).count()).to.equal(1);
    expect(await page.getByRole('cell', { name: 'Retry-After', exact: true }).count()).to.be.above(2);
    expect(await page.getByRole('cell', { name: 'X-Request-Id', exact: true }).count()).to.equal(0);
    for (const summary of await page.locator('details > summary').all()) await summary.press('Enter');
    await page.getByRole('button', { name: 'Execute' }).first().click();
    await page.locator('.live-responses-table').waitFor();
    expect(await page.locator('main').count()).to.equal(1);
    await expectNoFaultInLightAndDark(page);
    await page.close();
  });

  it('keeps the key in the tab, and shows each request in curl, JavaScript and Python', async () => {
    const page = await openReference();
    await authorize(page);
    await page.reload();
    expect(await tryIt(page, 'createPet', { textarea: '{"name": "é", "categoryId": 1}' })).to.match(/^201 /);
    const operation = operationOf(page, 'createPet');
    const languages = await operation.locator('.request-snippets .btn').allTextContents();
    expect(languages).to.deep.equal(['curl', 'JavaScript', 'Python']);
    for (const [language, text] of [
      ['curl', "'Authorization: Bearer a-key"],
      ['JavaScript', '"Authorization": "Bearer a-key'],
      ['Python', 'data="{\\"name\\": \\"é\\"'],
    ] as const) {
      await operation.getByText(language, { exact: true }).click();
      expect(await operation.locator('.request-snippets code').textContent()).to.include(text);
    }
    expect(
      await operation
        .locator('.responses-table:not(.live-responses-table) .response-col_status')
        .allTextContents(),
    ).to.have.members(['Code', '201', '4XX', '5XX']);
    await page.close();
  });
});
