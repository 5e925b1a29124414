import { expect } from 'chai';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { startProgram } from '../support/processes/command';
import { removeFolders } from '../support/temporary-folder';
import { embedderFolder } from './support/embedder-folder';

/** A sound repository, and one whose full pages promise more. `contract-messages.test.ts` has other mistakes. */
const suites = `
import { describe, it } from 'node:test';
import { inMemoryPetRepository } from 'animal-store/in-memory';
import { petRepositoryContract } from 'animal-store/testing';

const opened = (repository) => Promise.resolve({ repository, close: () => Promise.resolve() });

describe('a sound repository', () => {
  petRepositoryContract({ describe, it }, (options) => opened(inMemoryPetRepository(options)));
});

describe('a repository with a mistake', () => {
  const open = (options) => {
    const sound = inMemoryPetRepository(options);
    const list = (query) => async () => {
      const page = await sound.list(query)();
      const isFull = page.right.pets.length === query.limit;
      return { ...page, right: { ...page.right, hasMore: isFull } };
    };
    return opened({ ...sound, list });
  };
  petRepositoryContract({ describe, it }, open, { seed: 7 });
});
`;

/** Tests that passed or failed, from the summary of node:test. */
const countOf = (output: string, word: 'pass' | 'fail'): number =>
  Number(new RegExp(`^(?:ℹ|#) ${word} ([0-9]+)$`, 'm').exec(stripVTControlCharacters(output))?.[1]);

describe('The contract suites of the package, under another test runner', () => {
  after(removeFolders);

  it('pass a sound repository, and name a mistake in a few lines, at a line of their sources', async () => {
    const folder = await embedderFolder();
    await writeFile(join(folder, 'contract.mjs'), suites);
    const options = ['--test-reporter=spec', '--enable-source-maps', 'contract.mjs'];
    const { code, stdout } = await startProgram(process.execPath, options, { folder }).ended;
    expect(code, stdout).to.be.greaterThan(0);
    expect(stdout).to.include('hasMore, of page 24 of 24, by pages of 1: got true, expected false');
    expect(stdout).to.include('random values of seed 7');
    expect(stdout.split('\n').length).to.be.lessThan(1_600);
    expect(countOf(stdout, 'pass'), stdout).to.be.greaterThan(100);
    expect(countOf(stdout, 'fail'), stdout).to.be.greaterThan(1);

    const [, file = '', line = ''] = /\((\S+lists-in-pages\.ts):(\d+):\d+\)/.exec(stdout) ?? [];
    const lines = (await readFile(file, 'utf8')).split('\n');
    expect(lines[Number(line) - 1]).to.include('expectEqual(`hasMore, of ${what}`');
  });
});
