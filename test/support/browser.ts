import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** Suffix for the title of a suite: the reason why its tests are skipped, or an empty text if Chromium is installed. */
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

/**
 * Opens a browser before the tests of a suite, or skips the tests without Chromium. Returns functions that open pages.
 */
export const useBrowser = (): Pick<Browser, 'newContext' | 'newPage'> => {
  let browser: Browser | undefined;
  const opened = (): Browser => {
    if (browser === undefined) throw new Error('the browser is open only during the tests');
    return browser;
  };
  before(async function () {
    if (!hasChromium) this.skip();
    browser = await openChromium();
  });
  after(() => browser?.close());
  return {
    newContext: (options) => opened().newContext(options),
    newPage: (options) => opened().newPage(options),
  };
};
