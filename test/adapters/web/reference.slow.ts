import { expect } from 'chai';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openApiDocument, petOperations } from '../../../adapters/http';
import { whySkipped } from '../../support/browser';
import {
  expectNoFaultInLightAndDark,
  expectNoOverflow,
  sizes,
  watch,
  widenText,
} from '../../support/pages/checks';
import { projectFolder, shell } from '../../support/processes/command';
import { needsPrograms } from '../../support/processes/system';
import { fillIn, openReference, operationOf, send, shownKey, useKey } from '../../support/pages/reference';
import { apiKey } from '../../support/service/serve-in-process';
import { useServedPages } from '../../support/pages/served-pages';
import { makeFolder, removeFolders } from '../../support/temporary-folder';

describe(`The reference in a browser${whySkipped}`, () => {
  const { browser, address, proxyAddress } = useServedPages();
  needsPrograms('curl', 'python3');
  after(removeFolders);

  for (const [name, viewport] of Object.entries(sizes)) {
    it(`adds and lists animals on a ${name}, to the last digit, and sends no request elsewhere`, async () => {
      const page = await browser.newPage({ viewport });
      const faults = watch(page, proxyAddress());
      await page.goto(`${proxyAddress()}/docs`);
      expect(await page.title()).to.equal('Animal store: API reference');
      await useKey(page);
      const newPet = { name: `${name} é🐕`, categoryId: '-9223372036854775807' };
      const created = await send(page, 'createPet', newPet);
      expect(created).to.match(/^201 Created/);
      expect(created)
        .to.contain(`"name": "${name} é🐕"`)
        .and.to.contain('"categoryId": -9223372036854775807');
      expect(await send(page, 'listPets', { limit: '100' }))
        .to.match(/^200 OK, \d+ ms \[/)
        .and.contain(`"name": "${name} é🐕"`);
      await expectNoOverflow(page, `on a ${name}`);
      expect(faults).to.deep.equal([]);
      await page.close();
    });
  }

  it('shows each operation, field, response and error code, with no fault of access', async () => {
    const page = await openReference(browser, address());
    expect(await page.locator('.operation').count()).to.equal(Object.keys(petOperations).length);
    for (const summary of await page.locator('summary:visible').all()) await summary.press('Enter');
    for (const field of ['name', 'categoryId', 'status', 'Idempotency-Key'])
      await operationOf(page, 'createPet').getByLabel(field, { exact: false }).first().waitFor();
    const text = (await page.getByRole('main').innerText()).replaceAll(/\s+/g, ' ');
    for (const part of ['Retry-After', 'Location', 'Unknown-Fields', 'idempotency_key_reused', 'deprecated'])
      expect(text).to.include(part);
    const introduction = (await page.locator('#introduction dl').innerText()).replaceAll(/\s+/g, ' ');
    expect(introduction)
      .to.include(`Base URL ${address()}/v1`)
      .and.include('Authorization: Bearer <API_KEY>');
    const codes = openApiDocument.info.description.match(/(?<=^\| `)\w+/gm) ?? [];
    expect(await page.locator('#errors tbody tr td:first-child').allTextContents()).to.deep.equal(
      codes.slice(1),
    );
    await useKey(page);
    await send(page, 'listPets');
    expect(await page.locator('main').count()).to.equal(1);
    for (const hint of await page.locator('form .hint').allTextContents())
      expect(hint.length, hint).to.be.at.most(160);
    await expectNoOverflow(page, 'with everything open');
    await expectNoFaultInLightAndDark(page);
    await page.close();
  });

  it('fits a screen of 320 pixels in any font, with a long name', async () => {
    const page = await openReference(browser, address(), { width: 320, height: 640 });
    await page.evaluate(widenText);
    await expectNoOverflow(page, 'at first');
    await useKey(page);
    await send(page, 'createPet', { name: 'W'.repeat(1000) });
    await send(page, 'listPets');
    for (const summary of await page.locator('summary:visible').all()) await summary.press('Enter');
    await expectNoOverflow(page, 'with responses');
    await page.close();
  });

  it('shows the response below Send on a phone, and keeps the menu on the screen, with the section in view', async () => {
    const page = await openReference(browser, address(), sizes.phone);
    const operation = operationOf(page, 'createPet');
    const sendBox = await operation.getByRole('button', { name: 'Send' }).boundingBox();
    const response = await operation.getByText('Example of the response').boundingBox();
    expect((response?.y ?? 0) - (sendBox?.y ?? 0)).to.be.within(0, 90);
    const marked = async (name: string) => {
      const link = page.locator('#operations a[aria-current]', { hasText: name });
      await link.waitFor();
      // The page marks a link, and then scrolls the menu to it.
      await page.waitForFunction(`(() => {
        const { left, right, top } = document.querySelector('#operations [aria-current]').getBoundingClientRect();
        return left >= 0 && right <= innerWidth && top >= 0 && top < innerHeight / 4;
      })()`);
    };
    await page.evaluate(`document.querySelector('#createPet').scrollIntoView()`);
    await marked('Add an animal');
    const heading = await operation.getByRole('heading', { name: 'Add an animal' }).boundingBox();
    const menu = await page.locator('#operations').boundingBox();
    expect(heading?.y).to.be.at.least((menu?.y ?? 0) + (menu?.height ?? 0));
    await page.evaluate(`document.querySelector('#errors').scrollIntoView()`);
    await marked('Errors');
    await page.evaluate('scrollTo(0, 0)');
    await marked('Introduction');
    await page.close();
  });

  it('marks the fields that the service refuses, and links each code to its row', async () => {
    const page = await openReference(browser, address());
    await useKey(page);
    await shownKey(page).waitFor();
    expect(await send(page, 'createPet', { name: '', categoryId: '1.5' })).to.match(/^400/);
    const operation = operationOf(page, 'createPet');
    for (const [field, text] of [
      ['name', 'name is required'],
      ['categoryId', 'categoryId must be'],
    ] as const) {
      expect(await page.locator(`#createPet-${field}`).getAttribute('aria-invalid')).to.equal('true');
      expect(await page.locator(`#createPet-${field}-hint`).textContent()).to.include(text);
    }
    expect(await send(page, 'createPet', { name: 'Rex', categoryId: '1' })).to.match(/^201/);
    expect(await operation.locator('[aria-invalid]').count()).to.equal(0);
    await operation.getByText('All responses').click();
    await operation.getByRole('link', { name: 'idempotency_key_reused' }).click();
    expect(await page.locator('tr:target').textContent()).to.include('422');
    await page.close();
  });

  it('shows the values of the form as programs that run: for curl, the client and Python', async () => {
    const page = await openReference(browser, address());
    const name = `it's "é"`;
    await fillIn(page, 'createPet', { name, categoryId: '9007199254740993' });
    const operation = operationOf(page, 'createPet');
    const folder = await makeFolder();
    const stub = 'class _:\n  status_code = 201\n  json = lambda self: 0\n';
    await writeFile(
      join(folder, 'requests.py'),
      `${stub}def post(url, **o):\n  print(o["json"])\n  return _()\n`,
    );
    const client = await readFile(join(projectFolder, 'dist', 'client.mjs'), 'utf8');
    await writeFile(join(folder, 'client.mjs'), client);
    for (const [language, file, command, expected] of [
      ['curl', 'add.sh', 'sh add.sh', `"name":"it's \\"é\\"","categoryId":9007199254740993`],
      ['JavaScript', 'add.mjs', `${process.execPath} add.mjs`, 'categoryId: 9007199254740993n'],
      ['Python', 'add.py', 'python3 add.py', `"é"', 'categoryId': 9007199254740993`],
    ] as const) {
      await operation.getByRole('button', { name: language }).click();
      const program = (await operation.getByRole('group', { name: 'Example for' }).textContent()) ?? '';
      expect(program).not.to.include(apiKey);
      expect(program).to.match(/\n {2,8}"?name"?: [^,]+,\n {2,8}"?categoryId"?: /);
      await writeFile(join(folder, file), program.replace('animal-store/client', './client.mjs'));
      const { stdout, stderr } = await shell(folder, command, { API_KEY: apiKey });
      expect(stdout, stderr).to.include(expected);
    }
    await page.close();
  });

  it('shows a key in quotes as the client takes it, and the page that a list without a limit gets', async () => {
    const page = await openReference(browser, address());
    await fillIn(page, 'createPet', { 'Idempotency-Key': String.raw`"order \"17\""` });
    await operationOf(page, 'createPet').getByRole('button', { name: 'JavaScript' }).click();
    const example = (operationId: string) =>
      operationOf(page, operationId).getByRole('group', { name: 'Example for' }).textContent();
    expect(await example('createPet')).to.include(`{ idempotencyKey: 'order "17"' }`);
    expect(await example('listPets')).to.include('animals.page({ pageSize: 20 })');
    await page.close();
  });
});
