import axe from 'axe-core';
import { expect } from 'chai';
import type { Page } from 'playwright-core';

/** Returns the faults that axe-core finds on a page: their rules and elements. */
const accessibilityFaults = async (page: Page): Promise<unknown> => {
  await page.evaluate(axe.source);
  return page.evaluate(`
    axe.run({ preload: false }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ target: [place] }) => [id, place])))
  `);
};

/** Script for a page, which waits until the transitions of colours have ended. */
const transitionsEnd = 'Promise.allSettled(document.getAnimations().map(({ finished }) => finished))';

export const expectNoFaultInLightAndDark = async (page: Page): Promise<void> => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(transitionsEnd);
    expect(await accessibilityFaults(page), colorScheme).to.deep.equal([]);
  }
};

export const expectNoOverflow = async (page: Page, text: string): Promise<void> => {
  const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
  expect(overflow, `pixels by which the page is too wide ${text}`).to.equal(0);
  const cut = await page.evaluate(`[...document.querySelectorAll('pre')].filter((code) =>
    code.scrollWidth > code.clientWidth ||
    (code.scrollHeight > code.clientHeight + 1 && getComputedStyle(code).overflowY !== 'auto')).length`);
  expect(cut, `code that is cut ${text}`).to.equal(0);
};

/**
 * Script for a page that sets a wide font and the letter spacing at which all text must still fit (WCAG 2.2, 1.4.12).
 */
export const widenText = `{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('* { font-family: monospace !important; letter-spacing: 0.12em !important }');
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}`;

export const sizes = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };

/** Collects the page's console messages, errors, failed requests and requests to other addresses. */
export const watch = (page: Page, address: string): ReadonlyArray<string> => {
  const seen: Array<string> = [];
  page.on('console', (message) => seen.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => seen.push(`error: ${error.message}`));
  page.on('requestfailed', (request) => {
    // The client aborts each request after it has read the response, and the browser may report that as a failure.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') seen.push(`failed: ${request.url()}`);
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${address}/`) && !url.startsWith('data:')) seen.push(`outside: ${url}`);
  });
  return seen;
};
