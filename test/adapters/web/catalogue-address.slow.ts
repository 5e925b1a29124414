import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { whySkipped } from '../../support/browser';
import { add, enterKey, filter, openCatalogue, rowsOf } from '../../support/pages/catalogue';
import { createPet } from '../../support/http/client';
import { apiKey } from '../../support/service/serve-in-process';
import { useServedPages } from '../../support/pages/served-pages';

describe(`The address of the catalogue in a browser${whySkipped}`, () => {
  const { browser, address } = useServedPages();
  let page: Page;
  before(async () => {
    for (let number = 1; number <= 80; number += 1)
      await createPet({ address: address(), key: apiKey }, `{"name":"pet ${number}","categoryId":7}`);
  });
  beforeEach(async () => {
    page = await browser.newPage();
    await openCatalogue(page, address());
  });
  afterEach(() => page.close());

  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const expectPage = async (count: string, search: string): Promise<void> => {
    await page.getByText(count, { exact: true }).waitFor();
    expect(new URL(page.url()).search).to.equal(search);
  };
  const goToThird = async (): Promise<void> => {
    await press('Next');
    await expectPage('26 to 50, more follow', '?after=25');
    await press('Next');
    await expectPage('51 to 75, more follow', '?after=50');
  };
  const open = async (search: string): Promise<void> => {
    await page.goto('about:blank');
    await page.goto(`${address()}/${search}#key=${apiKey}`);
  };

  it('has an address for each animal, which opens its drawer, also after the key is entered', async () => {
    await page.getByRole('button', { name: 'pet 3', exact: true }).click();
    expect(new URL(page.url()).search).to.equal('?pet=3');
    await page.reload();
    await page.getByRole('heading', { name: 'pet 3', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL(({ search }) => search === '');
    await page.getByRole('button', { name: 'pet 2', exact: true }).click();
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(new URL(page.url()).search).to.equal('');
    await page.goForward();
    await page.getByRole('heading', { name: 'pet 2', exact: true }).waitFor();
    const other = await browser.newPage();
    await other.goto(`${address()}/?categoryId=7&pet=4`);
    await enterKey(other, apiKey);
    await other.getByRole('heading', { name: 'pet 4', exact: true }).waitFor();
    await other.goto(`${address()}/?pet=9223372036854775807`);
    await other.getByText('No animal has the id 9223372036854775807.').waitFor();
    await other.getByRole('button', { name: 'Show the animals' }).click();
    await other.locator('tbody .name').first().waitFor();
    expect(other.url()).to.equal(`${address()}/`);
    await other.close();
  });

  it('keeps the filters in the address, through a reload and the way back', async () => {
    await filter(page, 'pending').click();
    await page.getByText('No animal matches these filters').waitFor();
    await page.reload();
    await page.getByText('No animal matches these filters').waitFor();
    expect(await filter(page, 'pending').isChecked()).to.equal(true);
    await page.goBack();
    await page.getByText('1 to 25, more follow').waitFor();
    expect(await filter(page, 'All').isChecked()).to.equal(true);
    // A status that does not exist must not look like a filter.
    await open('?status=eaten&order=desc');
    await expectPage('1 to 25, more follow', '?order=desc');
  });

  it('holds the page, through Next, Previous, a reload and the way back', async () => {
    await goToThird();
    await page.reload();
    await expectPage('51 to 75, more follow', '?after=50');
    expect((await rowsOf(page))[0]?.[1]).to.equal('pet 51');
    await press('Previous');
    await expectPage('26 to 50, more follow', '?after=25');
    await page.goBack();
    await expectPage('51 to 75, more follow', '?after=50');
    await page.goBack();
    await page.goBack();
    await expectPage('1 to 25, more follow', '');
    await page.goForward();
    await expectPage('26 to 50, more follow', '?after=25');
    await press('Previous');
    await expectPage('1 to 25, more follow', '');
  });

  it('goes to the next page once after a double click, and opens no animal that comes to its place', async () => {
    const next = page.getByRole('button', { name: 'Next' });
    await next.scrollIntoViewIfNeeded();
    const { x = 0, y = 0, width = 0, height = 0 } = (await next.boundingBox()) ?? {};
    const center = [x + width / 2, y + height / 2] as const;
    await page.mouse.click(...center);
    await expectPage('26 to 50, more follow', '?after=25');
    await page.waitForFunction(`document.elementFromPoint(${center.join(', ')})?.closest('tbody tr')`);
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    await expectPage('26 to 50, more follow', '?after=25');
    await page.goBack();
    await expectPage('1 to 25, more follow', '');
    await next.dblclick();
    await expectPage('26 to 50, more follow', '?after=25');
  });

  it('goes back to the first page after a change of a filter or of the order', async () => {
    await goToThird();
    await filter(page, 'Order').selectOption('Newest first');
    await expectPage('1 to 25, more follow', '?order=desc');
    await press('Next');
    await expectPage('26 to 50, more follow', '?order=desc&after=56');
    await filter(page, 'Category').fill('7');
    await filter(page, 'Category').press('Enter');
    await expectPage('1 to 25, more follow', '?categoryId=7&order=desc');
    await page.goBack();
    await expectPage('26 to 50, more follow', '?order=desc&after=56');
  });

  it('opens the same page elsewhere, without its number, with a button that leads to the first', async () => {
    await open('?after=50');
    await expectPage('25 animals after id 50, more follow', '?after=50');
    await press('Next');
    await expectPage('5 animals after id 75', '?after=75');
    await press('Previous');
    await expectPage('25 animals after id 50, more follow', '?after=50');
    await press('First page');
    await expectPage('1 to 25, more follow', '');
  });

  it('keeps the page behind a drawer, through a reload and the way back', async () => {
    await goToThird();
    await press('pet 60');
    expect(new URL(page.url()).search).to.equal('?after=50&pet=60');
    await page.reload();
    const drawer = page.getByRole('dialog', { name: 'pet 60' });
    await drawer.waitFor();
    await page.goBack();
    await drawer.waitFor({ state: 'hidden' });
    await expectPage('51 to 75, more follow', '?after=50');
    await press('pet 61');
    await press('Close');
    await page.waitForURL(({ search }) => search === '?after=50');
    await press('Previous');
    await expectPage('26 to 50, more follow', '?after=25');
  });

  it('says what is wrong with a page that is not there, and leads to the first', async () => {
    for (const [search, text] of [
      ['?after=abc', '“after” in the address must be a whole number, not “abc”.'],
      ['?after=1e3', '“after” in the address must be a whole number, not “1e3”.'],
      ['?after=9223372036854775808', 'must be a whole number'],
      ['?after=1000', 'No animals on this page'],
    ] as const) {
      await open(search);
      await page.locator('#empty').getByText(text).waitFor();
      expect(await page.getByRole('table').isVisible(), search).to.equal(false);
      await press('First page');
      await expectPage('1 to 25, more follow', '');
    }
  });

  it('stays the same after an animal was added, so that Back leads to the page before', async () => {
    await page.getByText('1 to 25, more follow').waitFor();
    const entries = await page.evaluate('history.length');
    await filter(page, 'Order').selectOption('Newest first');
    await page.waitForURL(({ search }) => search === '?order=desc');
    await filter(page, 'Category').fill('7');
    await filter(page, 'Category').press('Enter');
    await page.waitForURL(({ search }) => search === '?categoryId=7&order=desc');
    await add(page, { Name: 'Bo', Category: '7' });
    await page.locator('.added', { hasText: 'Bo' }).waitFor();
    expect(new URL(page.url()).search).to.equal('?categoryId=7&order=desc');
    expect(await page.evaluate('history.length')).to.equal(Number(entries) + 2);
  });
});
