import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { whySkipped } from '../../support/browser';
import { createPet } from '../../support/http/client';
import {
  expectNoFaultInLightAndDark,
  expectNoOverflow,
  sizes,
  watch,
  widenText,
} from '../../support/page-checks';
import { apiKey } from '../../support/service/serve-in-process';
import { useServedPages } from '../../support/service/served-pages';

const smallest = '-9223372036854775808';
const newest = ['pet 12', 'pet 11', 'pet 10'];

const rowsOf = async (page: Page): Promise<ReadonlyArray<ReadonlyArray<string>>> =>
  Promise.all((await page.locator('tbody tr').all()).map((row) => row.locator('td').allTextContents()));

const enterKey = async (page: Page, key: string): Promise<void> => {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Show animals' }).click();
};

const filter = (page: Page, label: string) => page.locator('#filter').getByLabel(label);

const fillIn = async (page: Page, newPet: Readonly<Record<string, string>>): Promise<void> => {
  for (const [label, text] of Object.entries(newPet)) await page.locator('#add').getByLabel(label).fill(text);
};

/** Opens the catalogue with its table. */
const openTable = async (page: Page, address: string): Promise<void> => {
  await page.goto(`${address}/`);
  await enterKey(page, apiKey);
  await page.getByRole('table').waitFor();
};

describe(`The catalogue in a browser${whySkipped}`, () => {
  const { browser, address, proxyAddress } = useServedPages();
  before(async () => {
    for (let number = 1; number <= 12; number += 1)
      await createPet(
        { address: address(), key: apiKey },
        `{"name":"pet ${number}","categoryId":${smallest},"status":"sold"}`,
      );
  });

  for (const [name, viewport] of Object.entries(sizes)) {
    it(`pages, filters and adds on a ${name}, to the last digit, and sends no request elsewhere`, async () => {
      const page = await browser.newPage({ viewport });
      const faults = watch(page, proxyAddress());
      await openTable(page, proxyAddress());
      expect((await rowsOf(page))[0]).to.deep.equal(['1', 'pet 1', smallest, 'sold']);
      await page.getByRole('button', { name: 'Next' }).click();
      await page.getByText('Page 2').waitFor();
      expect((await rowsOf(page))[0]?.[1]).to.equal('pet 11');
      await page.getByRole('button', { name: 'Previous' }).click();
      await page.getByText('Page 1').waitFor();
      await filter(page, 'Order').selectOption('Newest first');
      await page.getByRole('cell', { name: 'pet 12' }).waitFor();
      const names = (await rowsOf(page)).map(([, name = '']) => name);
      expect(names.filter((name) => name.startsWith('pet')).slice(0, 3)).to.deep.equal(newest);
      await filter(page, 'Category').fill('7');
      await filter(page, 'Category').press('Enter');
      await page.getByText('There are no animals to show.').waitFor();
      await filter(page, 'Category').fill(smallest);
      await filter(page, 'Category').blur();
      await page.getByText('Page 1').waitFor();
      await filter(page, 'Status').selectOption('pending');
      await page.getByText('There are no animals to show.').waitFor();

      await fillIn(page, { Name: '<b>Rex é🐕</b>', Category: '9007199254740993' });
      await page.getByRole('button', { name: 'Add' }).click();
      await page.getByText('Added <b>Rex é🐕</b> with the id').waitFor();
      const [[, ...added] = []] = await rowsOf(page);
      expect(added).to.deep.equal(['<b>Rex é🐕</b>', '9007199254740993', '']);
      await expectNoOverflow(page, `on a ${name}`);
      await expectNoFaultInLightAndDark(page);
      expect(faults).to.deep.equal([]);
      await page.close();
    });
  }

  it('shows errors at their fields, and leads back to the key if that is invalid', async () => {
    const page = await browser.newPage();
    await page.goto(address());
    await enterKey(page, 'another-key');
    await page.getByText('the API key is unknown, expired or revoked').waitFor();
    expect(await page.getByLabel('API key').getAttribute('aria-invalid')).to.equal('true');
    await enterKey(page, apiKey);
    await page.getByRole('button', { name: 'Add' }).click();
    await fillIn(page, { Category: '1e3' });
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByText('Must be a whole number').waitFor();
    await filter(page, 'Category').fill('1e3');
    await filter(page, 'Category').press('Enter');
    await page.getByText('Must be a whole number').nth(1).waitFor();
    for (const [form, field] of [
      ['add', 'Name'],
      ['add', 'Category'],
      ['filter', 'Category'],
    ] as const) {
      const invalid = page.locator(`#${form}`).getByLabel(field);
      expect(await invalid.getAttribute('aria-invalid'), `${form} ${field}`).to.equal('true');
    }
    await expectNoFaultInLightAndDark(page);
    await page.reload();
    await page.getByRole('table').waitFor();
    await page.getByRole('button', { name: 'Remove key' }).click();
    expect(await page.evaluate('sessionStorage.length')).to.equal(0);
    await expectNoFaultInLightAndDark(page);
    await page.close();
  });

  describe('whose response to a create was lost', () => {
    let page: Page;
    let name = '';
    const add = async (category = '1'): Promise<void> => {
      await fillIn(page, { Name: name, Category: category });
      await page.getByRole('button', { name: 'Add' }).click();
    };
    const addedId = async (): Promise<string> => {
      await page.getByText(`Added ${name} with the id`).waitFor();
      expect((await rowsOf(page))[1], 'the row after that of the new animal').not.to.include(name);
      return (await rowsOf(page))[0]?.[0] ?? '';
    };
    beforeEach(async () => {
      page = await browser.newPage();
      name = `once ${Math.random()}`;
      await openTable(page, address());
      let requests = 0;
      await page.route('**/v1/pets', async (route) => {
        requests += 1;
        await route.fetch();
        await route.abort();
      });
      await add();
      await page.getByText('no answer').waitFor({ timeout: 20_000 });
      expect(requests).to.be.above(1);
      await page.unroute('**/v1/pets');
    });
    afterEach(() => page.close());

    it('adds one animal with two clicks, and another with the third', async () => {
      await add();
      const id = await addedId();
      await add();
      await page.getByText(`Added ${name} with the id ${Number(id) + 1}`).waitFor();
    });

    it('adds one animal after an invalid try in between', async () => {
      await add('1e3');
      await page.getByText('Must be a whole number').waitFor();
      await add();
      await addedId();
    });
  });

  it('says that an animal was added also if the list fails after it', async () => {
    const page = await browser.newPage();
    await openTable(page, address());
    await page.route('**/v1/pets?*', (route) => route.fulfill({ status: 500, body: 'a proxy failed' }));
    await fillIn(page, { Name: 'Ada', Category: '1' });
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByText('Added Ada with the id').waitFor();
    expect(await page.locator('#add [role=alert]').textContent()).to.equal('');
    expect(await page.locator('#filter [role=alert]').textContent()).to.include('a proxy failed');
    await page.close();
  });

  it('fits a screen of 320 pixels in any font, with a long name', async () => {
    const page = await browser.newPage({ viewport: { width: 320, height: 640 } });
    await createPet(
      { address: address(), key: apiKey },
      `{"name":"${'W'.repeat(1000)}","categoryId":${smallest},"status":"available"}`,
    );
    await page.goto(address());
    await page.evaluate(widenText);
    await expectNoOverflow(page, 'with the field for the key');
    await enterKey(page, apiKey);
    await filter(page, 'Status').selectOption('available');
    await page.getByText('W'.repeat(1000)).waitFor();
    await expectNoOverflow(page, 'with the table');
    await page.close();
  });

  it('has examples that are whole, can be reached by keyboard and copied', async () => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await context.newPage();
    await page.goto(address());
    for (const example of await page.locator('pre').all()) {
      const hidden = await example.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
      expect(hidden, 'pixels of an example that are hidden').to.equal(0);
      await example.focus();
      expect(await example.and(page.locator(':focus')).count()).to.equal(1);
    }
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).to.match(
      /^curl http[^]*pets -H .*API_KEY"$/,
    );
    await context.close();
  });

  it('says what it is without JavaScript', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(address());
    expect(await page.getByRole('main').innerText())
      .to.match(/lists, adds and fetches animals over HTTP/)
      .and.match(/Without it, use the commands below/)
      .and.not.match(/API key\n/);
    await context.close();
  });
});
