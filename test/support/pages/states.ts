import type { Page } from 'playwright-core';
import { add, filter } from './catalogue';
import { createPet } from '../http/client';
import { apiKey } from '../service/serve-in-process';
import { type ServiceProcess, startService } from '../service/service-process';

const lists = '**/v1/pets?*';

const names = ['Rex', 'Bella', 'Milo', 'Luna', 'Zoë', 'Kim', 'Max', 'Ada', 'Tom', 'Nala', 'Oscar', 'Coco'];
const statuses = ['available', 'pending', 'sold', undefined];

/** Names of the animals in each store. A state names the store that it shows. */
const stores = {
  empty: [],
  three: ['Rex', 'Tom', 'Ada'],
  odd: [
    'W'.repeat(1_000),
    'A long name of many words. '.repeat(37),
    '🐕‍🦺 Barky 🐩 é',
    'كلب صغير اسمه ركس',
    '',
    '<b>bold</b>',
  ],
  thousand: Array.from({ length: 1_000 }, (_, index) => names[index % names.length] ?? ''),
};

type Store = keyof typeof stores;

const categoryOf = (index: number): bigint => [7n, 12n, 9_007_199_254_740_993n, 3n][index % 4] ?? 0n;

export const startStores = async (
  ports: Partial<Record<Store, string>> = {},
): Promise<Readonly<Record<Store, ServiceProcess>>> => {
  const start = async (store: Store): Promise<ServiceProcess> => {
    const PORT = ports[store] ?? '0';
    const settings = { PORT, DATABASE_URL: 'memory:', API_KEYS: apiKey, LOG_LEVEL: 'silent' };
    const service = await startService(settings);
    for (const [index, name] of stores[store].entries()) {
      const status = statuses[index % statuses.length];
      const animal = `"name":${JSON.stringify(name)},"categoryId":${categoryOf(index)}`;
      const json = `{${animal}${status === undefined ? '' : `,"status":"${status}"`}}`;
      await createPet({ address: service.address, key: apiKey }, json);
    }
    return service;
  };
  const [empty, three, odd, thousand] = await Promise.all([
    start('empty'),
    start('three'),
    start('odd'),
    start('thousand'),
  ]);
  return { empty, three, odd, thousand };
};

interface State {
  readonly store: Store;
  /** Path to open; by default the catalogue, with a link that signs in. */
  readonly path?: string;
  readonly prepare: (page: Page) => Promise<void>;
}

const signedIn = `/#key=${apiKey}`;

const shown = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

const openFirst = async (page: Page): Promise<void> => {
  await page.locator('tbody .name').first().click();
  await page.locator('#pet').waitFor();
};

/** States of the pages. `prepare` brings a page into the state, and waits until the page shows it. */
export const states: Readonly<Record<string, State>> = {
  'signed-out': { store: 'three', path: '/', prepare: (page) => shown(page, 'Show animals') },
  'wrong-key': {
    store: 'three',
    path: '/#key=another-key',
    prepare: (page) => shown(page, 'unknown, expired or revoked'),
  },
  empty: { store: 'empty', prepare: (page) => shown(page, 'No animals yet') },
  three: { store: 'three', prepare: (page) => shown(page, '3 animals') },
  thousand: {
    store: 'thousand',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Next' }).click();
      await shown(page, '26 to 50, more follow');
    },
  },
  'no-such-page': {
    store: 'three',
    path: `/?after=abc#key=${apiKey}`,
    prepare: (page) => shown(page, 'This page does not exist'),
  },
  copying: {
    store: 'thousand',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Copy as' }).click();
      await shown(page, 'limit=25');
    },
  },
  'odd-names': { store: 'odd', prepare: (page) => shown(page, '6 animals') },
  filtered: {
    store: 'thousand',
    prepare: async (page) => {
      await filter(page, 'sold').click();
      await page.getByRole('button', { name: 'Copy as' }).click();
      await shown(page, 'status=sold');
    },
  },
  animal: { store: 'thousand', prepare: openFirst },
  'long-animal': { store: 'odd', prepare: openFirst },
  added: {
    store: 'three',
    prepare: async (page) => {
      // Fakes the responses, so that the store, which other states show too, gets no fourth animal.
      const pet = '{"id":4,"name":"Bella","categoryId":7,"status":"available"}';
      const known = [1, 2, 3].map((id) => `{"id":${id},"name":"${names[id] ?? ''}","categoryId":7}`);
      await page.route(lists, (route) => route.fulfill({ body: `[${[...known, pet].join(',')}]` }));
      await page.route('**/v1/pets', (route) => route.fulfill({ status: 201, body: pet }));
      await add(page, { Name: 'Bella', Category: '7' });
      await page.locator('.added').waitFor();
    },
  },
  invalid: {
    store: 'three',
    prepare: async (page) => {
      await add(page, { Category: '1e3' });
      await shown(page, 'Must be a whole number');
    },
  },
  failed: {
    store: 'three',
    prepare: async (page) => {
      await page.route(lists, (route) => route.fulfill({ status: 500, body: '{}' }));
      await filter(page, 'sold').click();
      await shown(page, 'The animals could not be loaded.');
    },
  },
  'refresh-failed': {
    store: 'three',
    prepare: async (page) => {
      await shown(page, '3 animals');
      await page.route(lists, (route) => route.fulfill({ status: 500, body: '{}' }));
      await page.route('**/v1/pets', (route) =>
        route.fulfill({ status: 201, body: '{"id":4,"name":"Bo","categoryId":7}' }),
      );
      await add(page, { Name: 'Bo', Category: '7' });
      await shown(page, 'may be out of date');
      await page.keyboard.press('Escape');
    },
  },
  retrying: {
    store: 'three',
    prepare: async (page) => {
      await page.route('**/v1/pets', (route) => route.abort());
      await add(page, { Name: 'Bella', Category: '7' });
      await shown(page, 'Retrying…');
    },
  },
  reference: {
    store: 'three',
    path: `/docs#key=${apiKey}`,
    prepare: (page) => page.locator('#getPet').waitFor(),
  },
  'reference-sent': {
    store: 'three',
    path: `/docs#key=${apiKey}`,
    prepare: async (page) => {
      await page.locator('#listPets').getByRole('button', { name: 'Send' }).click();
      await shown(page, /^200 OK/);
      await page.locator('#listPets').evaluate('document.querySelector("#listPets").scrollIntoView()');
    },
  },
};

export const openState = async (
  page: Page,
  { store, path = signedIn, prepare }: State,
  services: Readonly<Record<Store, ServiceProcess>>,
): Promise<void> => {
  await page.goto(services[store].address + path);
  await prepare(page);
};
