import { expect } from 'chai';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { startProgram } from '../support/processes/command';
import { embedderFolder } from './support/embedder-folder';

/** A sound repository under the contract, and one that says at the end of the list that more follow. */
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
`;

const imports = `
import { inMemoryPetRepository } from 'animal-store/in-memory';
import { petRepositoryContract } from 'animal-store/testing';
`;

const requires = `
const { inMemoryPetRepository } = require('animal-store/in-memory');
const { petRepositoryContract } = require('animal-store/testing');
`;

const jestOptions = (name: string): ReadonlyArray<string> => [
  '--config',
  JSON.stringify({
    testEnvironment: 'node',
    testMatch: [`<rootDir>/${name}`],
    moduleFileExtensions: ['js', 'mjs', 'cjs'],
    transform: {},
    watchman: false,
    testTimeout: 60_000,
  }),
  '--rootDir=.',
];

interface Runner {
  /** The file that the runner is given, and what stands in it before the suites. */
  readonly file: string;
  readonly head: string;
  readonly command: ReadonlyArray<string>;
}

const runners: Readonly<Record<string, Runner>> = {
  'mocha, as an ES module': {
    file: 'contract.mocha.mjs',
    head: `import { describe, it } from 'mocha';${imports}`,
    command: ['node_modules/mocha/bin/mocha.js', '--timeout=60000', 'contract.mocha.mjs'],
  },
  'node:test': {
    file: 'contract.node.mjs',
    head: `import { describe, it } from 'node:test';${imports}`,
    command: ['--test-reporter=spec', '--enable-source-maps', 'contract.node.mjs'],
  },
  vitest: {
    file: 'contract.test.mjs',
    head: `import { describe, it } from 'vitest';${imports}`,
    command: ['node_modules/vitest/vitest.mjs', 'run', '--testTimeout=60000', 'contract.test.mjs'],
  },
  'jest, as CommonJS': {
    file: 'contract.jest.cjs',
    head: requires,
    command: ['node_modules/jest/bin/jest.js', ...jestOptions('contract.jest.cjs')],
  },
  'jest, as an ES module': {
    file: 'contract.jest.mjs',
    head: imports,
    command: [
      '--experimental-vm-modules',
      'node_modules/jest/bin/jest.js',
      ...jestOptions('contract.jest.mjs'),
    ],
  },
};

/** What the mistake comes to. */
const failing = [
  'hasMore, of page 24 of 24, by pages of 1: got true, expected false',
  'the page of 1 after 9223372036854775806: got { pets:',
];

/** How many tests passed and failed, as each runner sums it up. */
const counts = (output: string): ReadonlyArray<number> =>
  ['passing|passed|pass', 'failing|failed|fail'].map((words) => {
    const inSummary = new RegExp(
      `(?:^|[ |])(?:([0-9]+) (?:${words})\\b|(?:ℹ|#) (?:${words}) ([0-9]+))`,
      'gm',
    );
    const found = [...stripVTControlCharacters(output).matchAll(inSummary)].map(
      (match) => match[1] ?? match[2],
    );
    return Number(found.at(-1));
  });

describe('The contract suites run', () => {
  let folder = '';
  let seen: ReadonlyArray<number> | undefined;
  before(async () => {
    folder = await embedderFolder('mocha', 'vitest', 'jest');
  });

  for (const [name, { file, head, command }] of Object.entries(runners)) {
    it(`under ${name}: what is sound passes, and a mistake is named in a few lines`, async () => {
      await writeFile(join(folder, file), head + suites);
      const { code, stdout, stderr } = await startProgram(process.execPath, command, { folder }).ended;
      const output = stdout + stderr;
      expect(code, output).to.be.greaterThan(0);
      for (const text of failing) expect(output).to.include(text);
      expect(output).to.include('random values of seed 7');
      expect(output.split('\n').length).to.be.lessThan(500);
      const passedAndFailed = counts(output);
      expect(passedAndFailed[0], output).to.be.greaterThan(100);
      expect(passedAndFailed[1], output).to.be.greaterThan(1);
      seen ??= passedAndFailed;
      expect(passedAndFailed, output).to.deep.equal(seen);
    });
  }

  it('with sources that open: a line of a stack is one of a file in the package', async () => {
    const runner = runners['node:test'];
    await writeFile(join(folder, 'sources.mjs'), (runner?.head ?? '') + suites);
    const options = ['--enable-source-maps', '--test-reporter=spec', 'sources.mjs'];
    const { stdout } = await startProgram(process.execPath, options, { folder }).ended;
    const [, file = '', line = ''] = /\((\S+lists-in-pages\.ts):(\d+):\d+\)/.exec(stdout) ?? [];
    const lines = (await readFile(file, 'utf8')).split('\n');
    expect(lines[Number(line) - 1]).to.include('expectEqual(`hasMore, of ${what}`');
  });
});
