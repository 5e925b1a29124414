import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { useBrowser, whySkipped } from '../../support/browser';
import { add, filter, focusOf, openCatalogue, rowsOf } from '../../support/pages/catalogue';
import { freePort } from '../../support/processes/system';
import { apiKey } from '../../support/service/serve-in-process';
import { type ServiceProcess, startService } from '../../support/service/service-process';
import { newDatabaseFile, removeFolders } from '../../support/temporary-folder';

const pets = '**/v1/pets';
const lists = '**/v1/pets?*';

describe(`The form of the catalogue in a browser${whySkipped}`, () => {
  const browser = useBrowser();
  let page: Page;
  let service: ServiceProcess;
  let start: () => Promise<ServiceProcess>;
  const alert = () => page.locator('#add [role=alert]');
  before(async () => {
    const settings = {
      PORT: String(await freePort()),
      DATABASE_URL: `sqlite:${await newDatabaseFile()}`,
      API_KEYS: apiKey,
    };
    start = () => startService(settings);
    service = await start();
  });
  beforeEach(async () => {
    page = await browser.newPage();
    await openCatalogue(page, service.address);
  });
  afterEach(() => page.close());
  after(async () => {
    await service.stop();
    await removeFolders();
  });

  describe('after a create whose response was lost', () => {
    const added = async (name: string): Promise<number> => {
      await page.getByText(`Added “${name}” with the id`).waitFor();
      const text = (await page.locator('#added').textContent()) ?? '';
      return Number(/id (\d+)/.exec(text)?.[1]);
    };
    const lose = async (newPet: Readonly<Record<string, string>>): Promise<void> => {
      // The test moves the clock past the time in which the page retries.
      await page.clock.install();
      await page.route(pets, async (route) => {
        await route.fetch();
        await route.abort();
      });
      await add(page, newPet);
      await page.getByText('Retrying…').waitFor();
      await page.clock.fastForward('02:00');
      await page.getByText('Press Add again: the animal is stored only once.').waitFor();
      await page.unroute(pets);
    };

    it('stores it once with a second click, and another with the third', async () => {
      const rex = { Name: 'Rex', Category: '7' };
      await lose(rex);
      await add(page, rex);
      await page.getByText('stored once').waitFor();
      const id = await added('Rex');
      await add(page, rex);
      await page.getByText(`Added “Rex” with the id ${id + 1}.`).waitFor();
    });

    it('stores it once after an invalid try in between', async () => {
      const kim = { Name: 'Kim', Category: '7' };
      await lose(kim);
      await add(page, { ...kim, Category: '1e3' });
      await page.getByText('Must be a whole number').waitFor();
      await add(page, kim);
      await added('Kim');
      await page.locator('.added', { hasText: 'Kim' }).waitFor();
      expect((await rowsOf(page)).filter(([, name]) => name === 'Kim')).to.have.length(1);
    });
  });

  it('stores an animal once that is added while the service is stopped and started', async () => {
    await service.stop();
    await add(page, { Name: 'Phoenix', Category: '7' });
    await page.getByText('The service does not answer. Retrying…').waitFor();
    service = await start();
    await page.getByText(/Added “Phoenix” with the id \d+, stored once after \d+ attempts\./).waitFor();
    await page.locator('.added', { hasText: 'Phoenix' }).waitFor();
    expect((await rowsOf(page)).filter(([, name]) => name === 'Phoenix')).to.have.length(1);
  });

  it('takes a category with blanks and zeros, which the command next to it writes as a number', async () => {
    await page.getByRole('button', { name: 'Add animal' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Zoe');
    await page.locator('#new-category').fill(' 007 ');
    const command = page.locator('#add-examples').getByRole('group', { name: 'Example for curl' });
    expect(await command.textContent()).to.include('"categoryId": 7');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.locator('.added', { hasText: 'Zoe' }).waitFor();
    expect((await rowsOf(page)).find(([, name]) => name === 'Zoe')?.[2]).to.equal('7');
  });

  it('says that an animal was added also if the list fails after it, and keeps the rows', async () => {
    await add(page, { Name: 'Eva', Category: '1' });
    await page.locator('.added', { hasText: 'Eva' }).waitFor();
    const [rows, count] = [await rowsOf(page), await page.locator('#count').textContent()];
    await page.route(lists, (route) => route.fulfill({ status: 500, body: 'a proxy failed' }));
    await add(page, { Name: 'Ada', Category: '1' });
    await page.getByText('Added “Ada” with the id').waitFor();
    await page.locator('#failure').getByText('(status 500)').waitFor();
    expect(await alert().textContent()).to.equal('');
    expect(await page.locator('#failure').textContent()).to.include('may be out of date.');
    expect(await page.getByRole('table', { includeHidden: true }).isVisible()).to.equal(true);
    expect([await rowsOf(page), await page.locator('#count').textContent()]).to.deep.equal([rows, count]);
    expect(await filter(page, 'Order').inputValue()).to.equal('');
  });

  it('shows a failed list with a button that tries again, and never as an empty one', async () => {
    await page.clock.install();
    await page.route(lists, (route) => route.abort());
    await filter(page, 'Order').selectOption('Newest first');
    await page.getByText('Retrying…').waitFor();
    await page.clock.fastForward('00:30');
    await page.getByText('The animals could not be loaded. The service does not answer.').waitFor();
    expect(await page.locator('table, #empty').and(page.locator(':visible')).count()).to.equal(0);
    await page.unroute(lists);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('table').waitFor();
    expect(await focusOf(page)).to.equal('h1#title');
  });

  it('shows errors next to their fields, in red', async () => {
    await add(page, {});
    expect(await page.locator('#name-hint').textContent()).to.equal('Required');
    expect(await page.locator('#category-hint').textContent()).to.equal('Required');
    await add(page, { Name: 'x'.repeat(1_001), Category: '1e3' });
    await page.locator('#category-hint').getByText('Must be a whole number').waitFor();
    expect(await page.locator('#name-hint').textContent()).to.equal('Must have at most 1,000 characters');
    expect(await focusOf(page)).to.equal('input#new-name');
    await page.keyboard.press('Escape');
    await filter(page, 'Category').fill('1e3');
    await filter(page, 'Category').press('Enter');
    await page.locator('#filter-hint').getByText('Must be a whole number').waitFor();
    expect(await filter(page, 'Category').getAttribute('aria-invalid')).to.equal('true');
  });

  it('explains a read-only key and a rate limit to a visitor', async () => {
    for (const [status, code, text] of [
      [403, 'forbidden', 'This key may only read.'],
      [429, 'rate_limited', 'Too many requests with the keys of this owner. Try again in 90 s.'],
    ] as const) {
      const body = JSON.stringify({ code, message: 'wait for the seconds in Retry-After', status });
      await page.route(pets, (route) => route.fulfill({ status, headers: { 'Retry-After': '90' }, body }));
      await add(page, { Name: 'Rex', Category: '7' });
      await alert().getByText(text).waitFor();
      await page.unroute(pets);
    }
  });
});
