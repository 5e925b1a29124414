import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { whySkipped } from '../../support/browser';
import { add, enterKey, filter, openCatalogue, rowsOf } from '../../support/pages/catalogue';
import { createPet } from '../../support/http/client';
import {
  expectNoFaultInLightAndDark,
  expectNoOverflow,
  sizes,
  watch,
  widenText,
} from '../../support/pages/checks';
import { projectFolder, shell } from '../../support/processes/command';
import { apiKey } from '../../support/service/serve-in-process';
import { useServedPages } from '../../support/pages/served-pages';

const smallest = '-9223372036854775808';

const namesOf = async (page: Page): Promise<ReadonlyArray<string | undefined>> =>
  (await rowsOf(page)).map(([, name]) => name);

describe(`The catalogue in a browser${whySkipped}`, () => {
  const { browser, address, proxyAddress } = useServedPages();
  const store = (name: string, categoryId: string, status = 'sold') =>
    createPet(
      { address: address(), key: apiKey },
      `{"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`,
    );
  before(async () => {
    for (let number = 1; number <= 27; number += 1) await store(`pet ${number}`, smallest);
  });

  for (const [name, viewport] of Object.entries(sizes)) {
    it(`pages, filters and adds on a ${name}, to the last digit, and sends no request elsewhere`, async () => {
      const page = await browser.newPage({ viewport });
      const faults = watch(page, proxyAddress());
      await openCatalogue(page, proxyAddress());
      expect((await rowsOf(page))[0]).to.deep.equal(['1', 'pet 1', smallest, 'sold']);
      await page.getByText('1 to 25, more follow').waitFor();
      await page.getByRole('button', { name: 'Next' }).click();
      await page.getByText(/^26 to \d+$/).waitFor();
      await page.getByRole('button', { name: 'Previous' }).click();
      await page.getByText('1 to 25, more follow').waitFor();
      await filter(page, 'Category').fill('7');
      await filter(page, 'Category').press('Enter');
      await page.getByText('No animal matches these filters').waitFor();
      await filter(page, 'Category').fill(smallest);
      await filter(page, 'Category').blur();
      await filter(page, 'Order').selectOption('Newest first');
      await page.getByRole('button', { name: 'pet 27' }).waitFor();
      expect((await namesOf(page))[0]).to.equal('pet 27');
      await filter(page, 'pending').click();
      await page.getByText('No animal matches these filters').waitFor();
      expect(new URL(page.url()).search).to.equal(`?status=pending&categoryId=${smallest}&order=desc`);

      await add(page, { Name: '<b>Rex é🐕</b>', Category: '9007199254740993' });
      await page.getByText('Added “<b>Rex é🐕</b>” with the id').waitFor();
      await page.locator('.added').waitFor();
      await page.getByText('The filters were cleared to show it.').waitFor();
      const [[, ...added] = []] = await rowsOf(page);
      expect(added).to.deep.equal(['<b>Rex é🐕</b>', '9007199254740993', '–']);
      await page.keyboard.press('Escape');
      await expectNoFaultInLightAndDark(page);
      expect(faults).to.deep.equal([]);
      await page.close();
    });
  }

  it('shows that it loads at once if it showed nothing, and after a change that takes longer than 300 ms', async () => {
    const page = await browser.newPage();
    await openCatalogue(page, address());
    await page.getByText('1 to 25, more follow').waitFor();
    await page.route('**/v1/pets?*', () => undefined);
    await page.clock.install({ time: 0 });
    await page.clock.pauseAt(60_000);
    await filter(page, 'Order').selectOption('Newest first');
    await page.clock.runFor(290);
    expect(await page.locator('#count').textContent()).to.equal('1 to 25, more follow');
    await page.clock.runFor(20);
    expect(await page.locator('#count').textContent()).to.equal('Loading…');
    await page.reload();
    await page.getByText('Loading…').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'A catalogue of animals' }).waitFor();
    await page.close();
  });

  it('filters by the values of a translated page', async () => {
    const page = await browser.newPage();
    await openCatalogue(page, address());
    await page.getByRole('button', { name: 'Add animal' }).click();
    await page.evaluate(
      `for (const option of document.querySelectorAll('option')) option.text = 'übersetzt';`,
    );
    await page.locator('#new-status').selectOption({ index: 3 });
    await add(page, { Name: 'Ute', Category: '49' });
    await page.getByText('Added “Ute” with the id').waitFor();
    await page.locator('.added', { hasText: 'Ute' }).waitFor();
    expect((await rowsOf(page)).find(([, name]) => name === 'Ute')?.[3]).to.equal('sold');
    await page.close();
  });

  it('isolates the name of a new animal in its message, and says that the newest animals come first now', async () => {
    const page = await browser.newPage();
    await openCatalogue(page, address());
    await add(page, { Name: 'كلب', Category: '7' });
    await page
      .getByText(/^Added “كلب” with the id \d+\. The list now begins with the newest animals\.$/)
      .waitFor();
    expect(await page.locator('#added bdi').textContent()).to.equal('كلب');
    expect(await filter(page, 'Order').inputValue()).to.equal('desc');
    await page.close();
  });

  it('shows all fields of an animal in a drawer, and copies its id and a command that gets it', async () => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await context.newPage();
    const copied = async (): Promise<string> => String(await page.evaluate('navigator.clipboard.readText()'));
    await openCatalogue(page, address());
    await page.getByTitle('Copy the id').nth(1).click();
    expect(await copied()).to.equal('2');
    await page.getByRole('button', { name: 'pet 2', exact: true }).click();
    const drawer = page.getByRole('dialog', { name: 'pet 2' });
    expect(await drawer.locator('dd > span').allTextContents()).to.deep.equal([
      '2',
      smallest,
      'sold',
      'pet 2',
    ]);
    await drawer.getByRole('button', { name: 'Copy', exact: true }).click();
    const command = await copied();
    expect(command).to.include('$API_KEY').and.not.include(apiKey);
    await drawer.getByRole('button', { name: 'Copy with the key' }).click();
    expect(await copied()).to.include(`'Authorization: Bearer ${apiKey}'`);
    const { stdout } = await shell(projectFolder, command, { API_KEY: apiKey });
    expect(stdout).to.equal(`[{"id":2,"name":"pet 2","categoryId":${smallest},"status":"sold"}]\n`);
    await context.close();
  });

  it('shows the list with its filters as a command that lists the same animals', async () => {
    const page = await browser.newPage();
    await openCatalogue(page, address());
    await filter(page, 'Order').selectOption('Newest first');
    await filter(page, 'Category').fill(smallest);
    await filter(page, 'Category').press('Enter');
    await page.getByRole('button', { name: 'pet 27' }).waitFor();
    await page.getByRole('button', { name: 'Copy as' }).click();
    const expectSameAnimals = async () => {
      const command = await page.getByRole('group', { name: 'Example for curl' }).textContent();
      const { stdout } = await shell(projectFolder, command ?? '', { API_KEY: apiKey });
      expect(stdout.match(/(?<="name":")[^"]+/g)).to.deep.equal(await namesOf(page));
    };
    await expectSameAnimals();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText(/^26 to \d+$/).waitFor();
    await expectSameAnimals();
    await page.close();
  });

  it('shows no animals of the filters before next to a filter that is wrong', async () => {
    const page = await browser.newPage();
    await openCatalogue(page, address());
    await filter(page, 'Category').fill('x7');
    await filter(page, 'Category').press('Enter');
    await page.locator('#filter-hint').getByText('Must be a whole number').waitFor();
    await page.getByRole('table').waitFor({ state: 'hidden' });
    expect(await page.locator('#count').textContent()).to.equal('');
    await page.close();
  });

  it('fits a screen of 320 pixels in any font, with a long name, none and one from right to left', async () => {
    const page = await browser.newPage({ viewport: { width: 320, height: 640 } });
    for (const name of ['W'.repeat(1_000), ' ', 'كلب']) await store(name, smallest, 'available');
    await page.goto(address());
    await page.evaluate(widenText);
    await expectNoOverflow(page, 'with the field for the key');
    await enterKey(page, apiKey);
    await filter(page, 'available').click();
    const long = page.getByRole('button', { name: 'W'.repeat(1_000) });
    await long.waitFor();
    await expectNoOverflow(page, 'with the table');
    expect((await long.boundingBox())?.height).to.be.below(90);
    expect(await page.getByText('كلب').and(page.locator(':dir(rtl)')).count()).to.equal(1);
    expect(await page.getByText('(no name)').count()).to.equal(1);
    expect(await page.getByRole('button', { name: 'Next' }).isVisible()).to.equal(false);
    await page.getByRole('button', { name: 'Copy as' }).click();
    await expectNoOverflow(page, 'with the example');
    await long.click();
    await page.locator('#pet-name').waitFor();
    await expectNoOverflow(page, 'with the drawer');
    await page.close();
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
