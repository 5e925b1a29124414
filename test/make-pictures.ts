/* Makes the pictures in docs/pictures, from the built service: `npm run build && npx tsx test/make-pictures.ts`. */

import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { openChromium } from './support/browser';
import { eventually } from './support/eventually';
import { createPet } from './support/http/client';
import { killPrograms, main, projectFolder, startProgram } from './support/processes/command';
import { makeFolder, removeFolders } from './support/temporary-folder';

const pictures = join(projectFolder, 'docs', 'pictures');
const maxBytes = 300_000;
const shownFolder = '/home/ada/animals';
const cursor = new RegExp(String.raw`\u001b(?:[78]|\[\?7[hl]|\[[0-9]*[GK])`, 'g');
const colour = new RegExp(String.raw`\u001b\[(\d+)m`, 'g');

const terminalStyle = `
  body { background: #16181d; color: #e4e6eb; font: 15px/1.5 monospace; margin: 0; padding: 20px; width: 84ch }
  pre { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap } .s1 { font-weight: bold } .s2 { opacity: 0.65 }
  .s31 { color: #ff8a80 } .s32 { color: #7ddc9a } .s33 { color: #ffd479 } .s36 { color: #7cc7ff }`;

/** Turns the output of a terminal into HTML. Of a line that was drawn several times, a state in the middle is shown. */
const toHtml = (output: string): string =>
  output
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => {
      const states = line.split('\u001b[1G').filter((state) => state.includes(' % '));
      return states[Math.floor(states.length / 2)] ?? line;
    })
    .join('\n')
    .replaceAll(cursor, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(colour, (_code, style: string) =>
      ['22', '39', '0'].includes(style) ? '</span>' : `<span class="s${style}">`,
    );

const atTerminal = (command: string, folder: string) =>
  startProgram('script', ['-qec', `stty cols 84; ${command}`, '/dev/null'], {
    // npm sets this variable, by which hints name `npx`.
    environment: { TERM: 'xterm', PORT: '0', npm_command: 'start' },
    folder,
    isFed: true,
  });

const command = `exec ${process.execPath} ${main}`;

const save = async (page: Page, name: string): Promise<void> => {
  await page.screenshot({ path: join(pictures, `${name}.jpg`), type: 'jpeg', quality: 50 });
};

const views = [
  ['light', 'light', { width: 1024, height: 768 }],
  ['dark', 'dark', { width: 1024, height: 768 }],
  ['phone', 'light', { width: 390, height: 768 }],
] as const;

const savePages = async (browser: Browser, address: string, key: string): Promise<void> => {
  for (const [name, colorScheme, viewport] of views) {
    const page = await browser.newPage({ colorScheme, viewport });
    await page.goto(address);
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Show animals' }).click();
    await page.getByRole('table').waitFor();
    await page.mouse.move(0, 0);
    await save(page, `catalogue-${name}`);
    await page.goto(`${address}/docs`);
    await page.locator('.opblock.is-open').waitFor();
    await page.evaluate("document.querySelector('.opblock-tag').scrollIntoView()");
    await save(page, `reference-${name}`);
    await page.close();
  }
};

const run = async (): Promise<void> => {
  mkdirSync(pictures, { recursive: true });
  const folder = await makeFolder();
  const service = atTerminal(`${command} serve`, folder);
  await eventually('the banner', 30_000, () => service.stdout().includes('API_KEY='));
  const plain = service.stdout().replaceAll(colour, '');
  const key = /API_KEY=(\S+)/.exec(plain)?.[1] ?? '';
  const address = /API +(\S+)\/v1/.exec(plain)?.[1] ?? '';
  const animals = ['Rex', 'Tom', 'Ada', 'Kim', 'Max', 'Zoë'].map((name, index) => ({
    name,
    categoryId: index + 1,
  }));
  for (const animal of animals)
    await createPet(
      { address, key },
      JSON.stringify({ ...animal, status: animal.categoryId % 2 ? 'available' : 'sold' }),
    );
  await createPet({ address, key }, '{"name":"Bo","categoryId":9007199254740993}');
  await createPet({ address, key }, '{"name":"Bo"}');
  await createPet({ address, key: 'another-key' }, '{}');
  await eventually('the log', 30_000, () => service.stdout().includes('unknown_key'));
  const shown = service
    .stdout()
    .replaceAll(key, 'animals_0123456789abcdef_example-of-a-key')
    .replaceAll(address, 'http://127.0.0.1:3000')
    .replaceAll(folder, shownFolder);
  const browser = await openChromium();
  await savePages(browser, address, key);
  service.stdin.write('\u0003');
  await service.ended;
  writeFileSync(join(folder, 'animals.csv'), `name,categoryId\n${'Rex,7\n'.repeat(300_000)}`);
  const imported = await atTerminal(`${command} import animals.csv`, folder).ended;
  const page = await browser.newPage({ viewport: { width: 820, height: 560 } });
  const texts = [
    '$ npm start',
    shown.trimEnd(),
    '',
    '$ npx animal-store import animals.csv',
    imported.stdout.replaceAll(folder, shownFolder),
  ];
  await page.setContent(`<style>${terminalStyle}</style><pre>${texts.map(toHtml).join('\n')}</pre>`);
  await save(page, 'terminal');
  await browser.close();
  const sizes = readdirSync(pictures).map((name) => statSync(join(pictures, name)).size);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes > maxBytes) throw new Error(`the pictures have ${bytes} bytes`);
};

run()
  .finally(killPrograms)
  .finally(removeFolders)
  .catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exitCode = 1;
  });
