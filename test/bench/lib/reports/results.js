import { readFile, writeFile } from 'node:fs/promises';
import { describeMachine } from './machine.js';
import { renderResults } from './render-results.js';

const json = new URL('../../results.json', import.meta.url);
const markdown = new URL('../../RESULTS.md', import.meta.url);

const readResults = async () => {
  try {
    return JSON.parse(await readFile(json, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return {};
    throw error;
  }
};

/** Puts one part into `results.json`, with the machine and the day it was measured on, and renders `RESULTS.md`. */
export const saveResults = async (part, results) => {
  const all = { ...(await readResults()), [part]: { ...(await describeMachine()), ...results } };
  await writeFile(json, `${JSON.stringify(all, undefined, 2)}\n`);
  await writeFile(markdown, renderResults(all));
};
