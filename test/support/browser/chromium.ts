import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** To stand in a suite's title: why its tests are skipped, where they have to be. */
export const whySkipped = existsSync(executablePath)
  ? ''
  : ` (skipped: there is no Chromium at ${executablePath}; CHROMIUM names another place)`;

export const hasChromium = whySkipped === '';

/** Opens a browser that asks for nothing of its own accord. */
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
