import { expect } from 'chai';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { openApiDocument, petOperations } from '../../../adapters/http';
import { whySkipped } from '../../support/browser';
import {
  expectNoFaultInLightAndDark,
  expectNoOverflow,
  sizes,
  watch,
  widenText,
} from '../../support/page-checks';
import { projectFolder, shell } from '../../support/processes/command';
import { needsPrograms } from '../../support/processes/system';
import { apiKey } from '../../support/service/serve-in-process';
import { useServedPages } from '../../support/service/served-pages';
import { makeFolder, removeFolders } from '../../support/temporary-folder';

const operationOf = (page: Page, operationId: string) => page.locator(`#${operationId}`);

const keyField = (page: Page) => page.getByRole('textbox', { name: 'API key' });

/** Text that the page shows instead of the field once the tab has a key. */
const shownKey = (page: Page) => page.getByText(`send the key …${apiKey.slice(-4)}`);

const useKey = async (page: Page, key = apiKey): Promise<void> => {
  await keyField(page).fill(key);
  await page.getByRole('button', { name: 'Use this key' }).click();
};

const fillIn = async (page: Page, operationId: string, fields: Readonly<Record<string, string>>) => {
  for (const [name, text] of Object.entries(fields)) await page.locator(`#${operationId}-${name}`).fill(text);
};

/** Fills in the fields of an operation and sends it. Returns the displayed response. */
const send = async (
  page: Page,
  operationId: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<string> => {
  await fillIn(page, operationId, fields);
  const operation = operationOf(page, operationId);
  await operation.getByRole('button', { name: 'Send' }).click();
  const status = await operation.getByText(/^\d{3} [A-Z].* ms$/).textContent();
  const body = await operation.getByRole('group', { name: 'Response' }).textContent();
  return `${status ?? ''} ${body ?? ''}`;
};

describe(`The reference in a browser${whySkipped}`, () => {
  const { browser, address, proxyAddress } = useServedPages();
  needsPrograms('curl', 'python3');
  after(removeFolders);

  const openReference = async (viewport = sizes.desktop, base = address()): Promise<Page> => {
    const page = await browser.newPage({ viewport });
    await page.goto(`${base}/docs`);
    await operationOf(page, 'getPet').waitFor();
    return page;
  };

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
    const page = await openReference();
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
    const page = await openReference({ width: 320, height: 640 });
    await page.evaluate(widenText);
    await expectNoOverflow(page, 'at first');
    await useKey(page);
    await send(page, 'createPet', { name: 'W'.repeat(1000) });
    await send(page, 'listPets');
    for (const summary of await page.locator('summary:visible').all()) await summary.press('Enter');
    await expectNoOverflow(page, 'with responses');
    await page.close();
  });

  it('keeps the key in the tab until it is removed, and shows what the service answers without one', async () => {
    const page = await openReference();
    expect(await send(page, 'getPet')).to.match(/^401 Unauthorized, \d+ ms {\s+"code": "unauthorized"/);
    await keyField(page).fill('nonsense');
    await keyField(page).press('Enter');
    await page.getByText('This key is unknown, expired or revoked.').waitFor();
    expect(await keyField(page).inputValue()).to.equal('nonsense');
    await useKey(page, `Bearer ${apiKey}`);
    await page.getByText('Must be the key only, without Bearer').waitFor();
    expect(await page.evaluate('sessionStorage.length')).to.equal(0);
    await useKey(page, `${apiKey}\u00a0`);
    await shownKey(page).waitFor();
    await page.reload();
    expect(await send(page, 'listPets')).to.match(/^200 OK/);
    expect(await keyField(page).isVisible()).to.equal(false);
    await page.getByRole('button', { name: 'Change the API key' }).click();
    await page.keyboard.type('nonsense');
    await page.keyboard.press('Enter');
    await page.getByText('This key is unknown, expired or revoked.').waitFor();
    await keyField(page).fill('');
    expect(await send(page, 'listPets', { limit: '7' })).to.match(/^200 OK/);
    await page.getByRole('button', { name: 'Sign out' }).click();
    expect(await page.evaluate('sessionStorage.length')).to.equal(0);
    expect(await send(page, 'listPets', { limit: '5' })).to.match(/^401/);
    await page.close();
  });

  it('sends a key that was typed but not yet used, and nothing if it is refused', async () => {
    const page = await openReference();
    const operation = operationOf(page, 'listPets');
    await keyField(page).fill('nonsense');
    await operation.getByRole('button', { name: 'Send' }).click();
    await operation.getByText('Nothing was sent').waitFor();
    expect(await operation.getByRole('group', { name: 'Response' }).textContent()).to.equal(
      'This key is unknown, expired or revoked. Ask the operator for another.',
    );
    await operation.getByRole('link', { name: 'Set an API key' }).click();
    await page.keyboard.type(apiKey);
    expect(await send(page, 'listPets')).to.match(/^200 OK/);
    await shownKey(page).waitFor();
    await page.close();
  });

  it('leads from a 401 to the key, and shows the example again once there is a key', async () => {
    const page = await openReference();
    const operation = operationOf(page, 'listPets');
    expect(await operation.getByRole('link', { name: 'Set an API key' }).isVisible()).to.equal(false);
    await send(page, 'listPets');
    await operation.getByRole('link', { name: '"unauthorized"' }).click();
    expect(await page.locator('tr:target').textContent()).to.include('401');
    await operation.getByRole('link', { name: 'Set an API key' }).click();
    expect(await page.evaluate('document.activeElement.id')).to.equal('api-key');
    await expectNoFaultInLightAndDark(page);
    await useKey(page);
    await operation.getByText('Example of the response, 200').waitFor();
    expect(await operation.getByRole('link', { name: 'Set an API key' }).isVisible()).to.equal(false);
    expect(await operation.getByRole('group', { name: 'Response' }).textContent()).to.include('"id"');
    await page.close();
  });

  it('shows the response below Send on a phone, and keeps the menu on the screen, with the section in view', async () => {
    const page = await openReference(sizes.phone);
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
    const page = await openReference();
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

  it('shows what a proxy answers with 400, and copies with a key only while the tab has one', async () => {
    const page = await openReference();
    const copyWithKey = operationOf(page, 'listPets').getByRole('button', { name: 'Copy with the key' });
    expect(await copyWithKey.isVisible()).to.equal(false);
    await useKey(page);
    await copyWithKey.waitFor();
    await page.route('**/v1/pets*', (route) => route.fulfill({ status: 400, body: '<h1>no</h1>' }));
    expect(await send(page, 'listPets')).to.match(/^400 .*<h1>no/s);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await copyWithKey.waitFor({ state: 'hidden' });
    await page.close();
  });

  it('shows the values of the form as programs that run: for curl, the client and Python', async () => {
    const page = await openReference();
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
    const page = await openReference();
    await fillIn(page, 'createPet', { 'Idempotency-Key': String.raw`"order \"17\""` });
    await operationOf(page, 'createPet').getByRole('button', { name: 'JavaScript' }).click();
    const example = (operationId: string) =>
      operationOf(page, operationId).getByRole('group', { name: 'Example for' }).textContent();
    expect(await example('createPet')).to.include(`{ idempotencyKey: 'order "17"' }`);
    expect(await example('listPets')).to.include('animals.page({ pageSize: 20 })');
    await page.close();
  });
});
