/*
 * Makes the pictures of the pages, from the built service: `npm run build && npx tsx test/make-pictures.ts`. With a
 * folder as argument, saves a picture of each state, size and colour scheme there; otherwise makes the pictures of the
 * README.
 */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openChromium } from './support/browser';
import { openState, startStores, states } from './support/pages/states';
import { sizes } from './support/pages/checks';
import { projectFolder } from './support/processes/command';
import { killServices } from './support/service/service-process';

const folder = process.argv[2];

const readmeViews = [{ name: 'catalogue', state: 'copying', size: 'readme' }] as const;

const viewports = { ...sizes, small: { width: 320, height: 640 }, readme: { width: 1040, height: 600 } };

const allViews = Object.keys(states).flatMap((state) =>
  (['desktop', 'phone', 'small'] as const).map((size) => ({ name: `${state}-${size}`, state, size })),
);

// Without a frame, a dark picture would have no visible edge on a dark page.
const addFrame = `document.body.append(
  Object.assign(document.createElement('div'), { id: 'frame' }),
);
Object.assign(document.querySelector('#frame').style, {
  position: 'fixed', inset: '0', border: '1px solid #7f8792', pointerEvents: 'none',
})`;

const run = async (): Promise<void> => {
  const target = folder ?? join(projectFolder, 'docs', 'pictures');
  mkdirSync(target, { recursive: true });
  const services = await startStores({ thousand: '3000' });
  const browser = await openChromium();
  for (const { name, state, size } of folder === undefined ? readmeViews : allViews) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const viewport = viewports[size];
      const deviceScaleFactor = folder === undefined ? 2 : 1;
      const page = await browser.newPage({
        ...{ colorScheme, viewport, deviceScaleFactor },
        reducedMotion: 'reduce',
      });
      const wanted = states[state];
      if (wanted === undefined) throw new Error(`unknown state ${state}`);
      await openState(page, wanted, services);
      await page.mouse.move(0, 0);
      if (folder === undefined) await page.evaluate(addFrame);
      const path = join(target, `${name}-${colorScheme}.${folder === undefined ? 'jpg' : 'png'}`);
      await page.screenshot(folder === undefined ? { path, type: 'jpeg', quality: 60 } : { path });
      await page.close();
    }
  }
  await browser.close();
};

run()
  .finally(killServices)
  .catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exitCode = 1;
  });
