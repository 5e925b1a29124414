import { expect } from 'chai';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { startProgram } from '../support/processes/command';
import { removeFolders } from '../support/temporary-folder';
import { embedderFolder } from './support/embedder-folder';

/** A sound repository under the contracts, and three with a mistake: a page that promises more, ids as doubles, a lost create. */
const suites = `
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

describe('a repository that sorts by doubles', () => {
  petRepositoryContract({ describe, it }, ({ pets }) => {
    const sorted = pets.toSorted((one, other) => Number(one.id) - Number(other.id));
    const list = ({ limit, after, ...filters }) => async () => {
      const follow = sorted.filter((pet) => after === undefined || pet.id > after);
      return { _tag: 'Right', right: toPage(limit, follow.filter((pet) => passesFilters(filters, pet))) };
    };
    return opened({ ...inMemoryPetRepository({ pets }), list });
  }, { seed: 7 });
});

describe('a repository that changes memory before it fails to save', () => {
  underFailureContract({ describe, it }, (pets) => {
    const saved = [...pets];
    const memory = inMemoryPetRepository({ pets });
    let isBroken = false;
    const create = (newPet, key) => async () => {
      const created = await memory.create(newPet, key)();
      if (created.right?.replayed === false) {
        if (isBroken) return { _tag: 'Left', left: unavailable('the disk is full') };
        saved.push(created.right.pet);
      }
      return created;
    };
    return Promise.resolve({
      repository: { ...memory, create },
      breakStore: async () => void (isBroken = true),
      mendStore: async () => void (isBroken = false),
      reopen: async () => inMemoryPetRepository({ pets: saved }),
      close: async () => undefined,
    });
  }, { seed: 7 });
});
`;

const imports = `
import { describe, it } from 'node:test';
import { passesFilters, toPage, unavailable } from 'animal-store/core';
import { inMemoryPetRepository } from 'animal-store/in-memory';
import { petRepositoryContract, underFailureContract } from 'animal-store/testing';
`;

/** What the mistakes come to. */
const failing = [
  'hasMore, of page 24 of 24, by pages of 1: got true, expected false',
  'the page of 1 after 9223372036854775806: got { pets:',
  'the list: of 13, number 1 is the first that differs: got { id: -9223372036854775807n',
  'the list after a restart: of 1 in place of 11, number 2 is the first that differs: got nothing',
];

/** Tests that passed or failed, from the summary of node:test. */
const countOf = (output: string, word: 'pass' | 'fail'): number =>
  Number(new RegExp(`^(?:ℹ|#) ${word} ([0-9]+)$`, 'm').exec(stripVTControlCharacters(output))?.[1]);

describe('The contract suites of the package, under another test runner', () => {
  after(removeFolders);

  it('pass a sound repository, and name each mistake in a few lines, at a line of their sources', async () => {
    const folder = await embedderFolder();
    await writeFile(join(folder, 'contract.mjs'), imports + suites);
    const options = ['--test-reporter=spec', '--enable-source-maps', 'contract.mjs'];
    const { code, stdout } = await startProgram(process.execPath, options, { folder }).ended;
    expect(code, stdout).to.be.greaterThan(0);
    for (const text of failing) expect(stdout).to.include(text);
    expect(stdout).to.include('random values of seed 7');
    expect(stdout.split('\n').length).to.be.lessThan(1_600);
    expect(countOf(stdout, 'pass'), stdout).to.be.greaterThan(100);
    expect(countOf(stdout, 'fail'), stdout).to.be.greaterThan(1);

    const [, file = '', line = ''] = /\((\S+lists-in-pages\.ts):(\d+):\d+\)/.exec(stdout) ?? [];
    const lines = (await readFile(file, 'utf8')).split('\n');
    expect(lines[Number(line) - 1]).to.include('expectEqual(`hasMore, of ${what}`');
  });
});
