import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { whySkipped } from '../../support/browser';
import { add, enterKey, focusOf, openCatalogue, rowsOf } from '../../support/pages/catalogue';
import { createPet } from '../../support/http/client';
import { apiKey } from '../../support/service/serve-in-process';
import { useServedPages } from '../../support/pages/served-pages';

describe(`The API key of the catalogue in a browser${whySkipped}`, () => {
  const { browser, address } = useServedPages();
  let page: Page;
  before(async () => {
    for (let number = 1; number <= 30; number += 1)
      await createPet({ address: address(), key: apiKey }, `{"name":"pet ${number}","categoryId":7}`);
  });
  beforeEach(async () => {
    page = await browser.newPage();
  });
  afterEach(() => page.close());

  const storedKey = () => page.evaluate("sessionStorage.getItem('animal-store-api-key')");

  it('comes with a link, which leaves the address at once, and no request has it in its URL', async () => {
    const urls: Array<string> = [];
    page.on('request', (request) => urls.push(request.url()));
    await page.goto(`${address()}/?order=desc#key=${apiKey}`);
    await page.getByRole('table').waitFor();
    expect(page.url()).to.equal(`${address()}/?order=desc`);
    expect(await page.evaluate('history.length')).to.be.at.most(2);
    expect(await storedKey()).to.equal(apiKey);
    expect(urls.filter((url) => url.includes(apiKey) && !url.includes('#'))).to.deep.equal([]);
    await page.goto(`${address()}/docs#key=another-key`);
    await page.getByText('send the key …-key').waitFor();
    expect(page.url()).to.equal(`${address()}/docs`);
    await page.goto(`${address()}/`);
    await page.getByText('This key is unknown, expired or revoked.').waitFor();
    await page.goto(`${address()}/#key=${apiKey}`);
    await page.getByRole('table').waitFor();
  });

  it('is asked for again if it is missing, malformed or unknown', async () => {
    await page.goto(address());
    for (const [key, text] of [
      ['', 'Required'],
      ['schlüssel', 'Must be letters, digits'],
      ['another-key', 'This key is unknown, expired or revoked.'],
    ] as const) {
      await enterKey(page, key);
      await page.locator('#api-key-hint').getByText(text).waitFor();
      expect(await page.getByLabel('API key').getAttribute('aria-invalid'), key).to.equal('true');
      expect(await focusOf(page)).to.equal('input#api-key');
      expect((await storedKey()) ?? '').to.equal('');
    }
  });

  it('is gone after signing out, with all animals, also if a page was still loading', async () => {
    await openCatalogue(page, address());
    await page.getByRole('button', { name: 'Add animal' }).click();
    await page.locator('#add').getByLabel('Name').fill('typed');
    await page.keyboard.press('Escape');
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    const answered = new Promise<void>((resolve) => {
      void page.route('**/v1/pets?*', async (route) => {
        await held;
        await route.continue().catch(() => undefined);
        resolve();
      });
    });
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    answer();
    await answered;
    await page.unroute('**/v1/pets?*');
    await page.getByLabel('API key').waitFor();
    expect(await page.locator('body').textContent()).not.to.match(/pet \d/);
    expect(await rowsOf(page)).to.deep.equal([]);
    expect(await page.locator('#new-name').inputValue()).to.equal('');
    expect(await page.evaluate('sessionStorage.length')).to.equal(0);
    expect(await focusOf(page)).to.equal('input#api-key');
    await page.reload();
    await page.getByLabel('API key').waitFor();
  });

  it('works without the storage of the browser', async () => {
    await page.addInitScript(`Object.defineProperty(window, 'sessionStorage', {
      get() { throw new DOMException('Access is denied for this document.', 'SecurityError'); },
    })`);
    await openCatalogue(page, address());
    await page.getByRole('table').waitFor();
    await page.goto(`${address()}/docs#key=${apiKey}`);
    await page.locator('#listPets').getByRole('button', { name: 'Send' }).click();
    await page
      .locator('#listPets')
      .getByText(/^200 OK/)
      .waitFor();
  });

  it('works if the address has a user name and a password', async () => {
    await page.goto(`${address().replace('//', '//user:password@')}/#key=${apiKey}`);
    await page.getByRole('table').waitFor();
    await page.goto(`${address().replace('//', '//user:password@')}/docs`);
    await page.locator('#listPets').waitFor();
  });

  it('leaves the focus on something visible after each step', async () => {
    const press = async (selector: string, key = 'Enter'): Promise<unknown> => {
      await page.focus(selector);
      await page.keyboard.press(key);
      return focusOf(page);
    };
    await openCatalogue(page, address());
    expect(await focusOf(page)).to.equal('h1#title');
    expect(await press('#next')).to.equal('button#next');
    await page.getByText('26 to').waitFor();
    expect(await press('#next')).to.equal('button#next');
    expect(await press('#previous')).to.equal('button#previous');
    await page.getByText('more follow').waitFor();
    expect(await press('#previous')).to.equal('button#previous');
    expect(await press('tbody tr:nth-child(2) .name')).to.equal('h2#pet-name');
    await page.keyboard.press('Escape');
    expect(await focusOf(page)).to.equal('button.name');
    await add(page, { Name: 'Bo', Category: '8' });
    await page.getByText('Added “Bo”').waitFor();
    expect(await focusOf(page)).to.equal('input#new-name');
    await page.locator('.added').waitFor();
    await page.keyboard.press('Escape');
    expect(await focusOf(page)).to.equal('button#open-form');
    await page.locator('#filter').getByLabel('Category').fill('8');
    await press('#filter [name=categoryId]');
    await page.getByText('1 animal', { exact: true }).waitFor();
    expect(await press('#clear-filters')).to.equal('h1#title');
    expect(await press('#sign-out')).to.equal('input#api-key');
  });
});
