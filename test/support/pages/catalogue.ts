import type { Page } from 'playwright-core';
import { apiKey } from '../service/serve-in-process';

/** Returns the texts of each row of the table: id, name, category and status. */
export const rowsOf = async (page: Page): Promise<ReadonlyArray<ReadonlyArray<string>>> =>
  Promise.all((await page.locator('tbody tr').all()).map((row) => row.locator('td').allTextContents()));

export const enterKey = async (page: Page, key: string): Promise<void> => {
  await page.getByLabel('API key').fill(key);
  await page.getByLabel('API key').press('Enter');
};

/** Opens the catalogue page with the API key, and waits until it shows the animals. */
export const openCatalogue = async (page: Page, address: string): Promise<void> => {
  await page.goto(`${address}/`);
  await enterKey(page, apiKey);
  await page.getByRole('heading', { name: 'Animals', exact: true }).waitFor();
};

export const filter = (page: Page, label: string) => page.locator('#filter').getByLabel(label);

/** Opens the form for a new animal, unless it is open, fills it in and sends it. */
export const add = async (page: Page, newPet: Readonly<Record<string, string>>): Promise<void> => {
  const form = page.locator('#add');
  if (!(await form.isVisible())) await page.getByRole('button', { name: 'Add animal' }).first().click();
  for (const [label, text] of Object.entries(newPet)) await form.getByLabel(label).fill(text);
  await form.getByRole('button', { name: 'Add' }).click();
};

/** Returns the element with the focus: its tag and id, or its class. */
export const focusOf = (page: Page): Promise<unknown> =>
  page.evaluate(`{
    const { localName, id, className } = document.activeElement;
    localName + (id === '' ? '.' + className : '#' + id);
  }`);
