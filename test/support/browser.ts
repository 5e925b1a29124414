import axe from 'axe-core';
import * as t from 'io-ts';
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** Text for the title of a suite. Says why its tests are skipped if there is no browser. */
export const whySkipped = existsSync(executablePath)
  ? ''
  : ` (skipped: there is no Chromium at ${executablePath}; CHROMIUM names another place)`;

export const hasChromium = whySkipped === '';

/** Opens a browser that sends no requests of its own, such as for updates. */
export const openChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });

/** A fault that axe-core finds: its rule and the selector of the element. */
export interface AccessibilityFault {
  readonly rule: string;
  readonly element: string;
}

const Faults = t.array(t.tuple([t.string, t.string, t.array(t.string)]));

/**
 * Returns the faults that axe-core finds on a page. A known fault is named by its known selector, any other by its path
 * in the page.
 */
export const accessibilityFaults = async (
  page: Page,
  known: ReadonlyArray<AccessibilityFault>,
): Promise<ReadonlyArray<AccessibilityFault>> => {
  await page.evaluate(axe.source);
  const selectors = JSON.stringify(known.map(({ element }) => element));
  const found: unknown = await page.evaluate(`
    axe.run({ preload: false }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target: [place] }) => [
          id,
          place,
          ${selectors}.filter((selector) => document.querySelector(place).matches(selector)),
        ])))
  `);
  if (!Faults.is(found)) throw new Error('axe-core has changed what it says');
  return found.map(([rule, place, matched]) => ({
    rule,
    element: known.find((fault) => fault.rule === rule && matched.includes(fault.element))?.element ?? place,
  }));
};
