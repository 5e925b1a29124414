import type { Browser, Page } from 'playwright-core';
import { sizes } from './checks';
import { apiKey } from '../service/serve-in-process';

export const operationOf = (page: Page, operationId: string) => page.locator(`#${operationId}`);

export const keyField = (page: Page) => page.getByRole('textbox', { name: 'API key' });

/** Text that replaces the field for the API key once the tab has a key. */
export const shownKey = (page: Page) => page.getByText(`send the key …${apiKey.slice(-4)}`);

export const useKey = async (page: Page, key = apiKey): Promise<void> => {
  await keyField(page).fill(key);
  await page.getByRole('button', { name: 'Use this key' }).click();
};

export const fillIn = async (page: Page, operationId: string, fields: Readonly<Record<string, string>>) => {
  for (const [name, text] of Object.entries(fields)) await page.locator(`#${operationId}-${name}`).fill(text);
};

/** Fills in the fields of an operation and sends it. Returns the displayed response. */
export const send = async (
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

/** Opens the reference of a service, and waits until it is complete. */
export const openReference = async (
  browser: Pick<Browser, 'newPage'>,
  base: string,
  viewport = sizes.desktop,
): Promise<Page> => {
  const page = await browser.newPage({ viewport });
  await page.goto(`${base}/docs`);
  await operationOf(page, 'getPet').waitFor();
  return page;
};
