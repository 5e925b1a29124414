import { expect } from 'chai';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { type Outcome, projectFolder, startProgram } from '../support/processes/command';
import { eventually } from '../support/eventually';
import { installPackage, packPackage } from '../support/packages';
import { removeFolders } from '../support/temporary-folder';

const examples = join(projectFolder, 'test', 'examples');
const binary = (name: string): string => join(projectFolder, 'node_modules', name);

const types = ['@types/koa', '@types/node'];

/** Exports inferred types. With `declaration: true`, the compiler must be able to name each of them. */
const reexports = `
import * as core from 'animal-store/core';
import { mountPetRoutes } from 'animal-store/http';
import { inMemoryApiKeys, inMemoryPetRepository } from 'animal-store/in-memory';
import { hostDatabase } from 'animal-store/knex';
import type { RemoteAnimalStore } from 'animal-store/client';
import * as testing from 'animal-store/testing';
import Koa from 'koa';

export const operations = ({ caller, listPets, createPet, getPet }: core.AnimalStore) =>
  ({ caller, listPets, createPet, getPet });
export const remoteOperations = ({ listPets, createPet, getPet }: RemoteAnimalStore) =>
  ({ listPets, createPet, getPet });
export const methods = ({ create, list, get }: core.AnimalStoreClient) => ({ create, list, get });
export const { list, find, create, importAll } = inMemoryPetRepository();
export const { authenticate, add, revoke } = inMemoryApiKeys();
export const opening = { inMemoryPetRepository, inMemoryApiKeys, hostDatabase };
export const query = (...[first]: Parameters<typeof list>) => first;
export const suites = { ...testing };
export const runnerOf = (...[runner, open, options]: Parameters<typeof testing.petRepositoryContract>) =>
  ({ runner, open, options });

export const host = new Koa<{ caller?: core.Caller }>();
host.use(async ({ state }, next) => {
  await next();
  const owner: core.OwnerId | undefined = state.caller?.ownerId;
  console.log(owner);
});
mountPetRoutes(host, core.openAnimalStore({ pets: inMemoryPetRepository(), authenticate }));
`;

/**
 * Runs suites on a correct repository, and on one whose full pages wrongly report a next page.
 * `contract-messages.test.ts` has other mistakes.
 */
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

/** Returns the number of passed or failed tests in the summary of node:test. */
const countOf = (output: string, word: 'pass' | 'fail'): number =>
  Number(new RegExp(`^(?:ℹ|#) ${word} ([0-9]+)$`, 'm').exec(stripVTControlCharacters(output))?.[1]);

describe('the package, packed and installed in an empty folder', function () {
  this.timeout(120_000);

  let host = '';
  let coreAlone = '';

  const runIn = (folder: string, ...programArguments: ReadonlyArray<string>): Promise<Outcome> =>
    startProgram(process.execPath, programArguments, { folder }).ended;

  before(async () => {
    const tarball = await packPackage();
    host = await installPackage(tarball, ['koa', '@koa/router', 'knex', 'sqlite3', ...types]);
    coreAlone = await installPackage(tarball, []);
    await cp(examples, host, { recursive: true });
    await writeFile(join(host, 'reexports.ts'), reexports);
    const { code, stdout } = await runIn(host, binary('typescript/bin/tsc'), '-p', '.');
    expect(stdout).to.equal('');
    expect(code).to.equal(0);
    await cp(join(host, 'core-without-http'), coreAlone, { recursive: true });
  });

  after(removeFolders);

  it('serves the core in a program without HTTP, as an ES module', async () => {
    const { stdout, stderr } = await runIn(coreAlone, 'shelter.mjs');
    expect(stderr).to.equal('');
    expect(stdout).to.equal(
      [
        "{ _tag: 'Right', right: [ '1: Rex, of category 7, available' ] }",
        '{',
        "  _tag: 'Right',",
        '  right: [',
        "    '1: Rex, of category 7, available',",
        "    '2: Tom, of category 9007199254740993, without a status'",
        '  ]',
        '}',
        '{',
        "  _tag: 'Left',",
        '  left: [',
        '    {',
        "      field: 'categoryId',",
        "      expected: 'an integer from -9223372036854775808 to 9223372036854775807'",
        '    }',
        '  ]',
        '}',
        '',
      ].join('\n'),
    );
  });

  it('serves the core in a program without HTTP, as CommonJS', async () => {
    const { stdout, stderr } = await runIn(coreAlone, 'shelter.cjs');
    expect(stderr).to.equal('');
    expect(stdout).to.equal(
      'unauthorized\nRex is animal 1\nRex is animal 1\nidempotency_key_reused\n1: Rex\n',
    );
  });

  it("commits an animal with a row of the host's, in the host's own knex with migrations of its own", async () => {
    const { stdout, stderr } = await runIn(host, 'own-knex/adopt.js');
    expect({ stdout, stderr }).to.deep.equal({
      stdout: "1 is Ada's\nand is not Bob's\n[ { name: 'Rex', adopter: 'Ada' } ]\n",
      stderr: '',
    });
  });

  it('takes own-authentication through the contract, under node:test', async () => {
    const { code, stdout } = await runIn(join(host, 'own-authentication'), 'contract.node.js');
    expect(stdout).to.match(/pass [1-9]/);
    expect(code, stdout).to.equal(0);
  });

  it('names a mistake under node:test in a few lines, at a line of the sources, and passes a sound repository', async () => {
    await writeFile(join(coreAlone, 'contract.mjs'), suites);
    const options = ['--test-reporter=spec', '--enable-source-maps', 'contract.mjs'];
    const { code, stdout } = await runIn(coreAlone, ...options);
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

  it('mounts its routes in a host, which keeps its own pages, errors and log', async () => {
    const running = startProgram(process.execPath, [join(host, 'routes-in-a-host', 'host.js')], {
      environment: { PORT: '0' },
    });
    try {
      await eventually('the host listens', 20_000, () => running.stdout().endsWith('\n'));
      const address = running.stdout().trim();
      const call = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
        const response = await fetch(address + path, { headers });
        const type = response.headers.get('content-type');
        return { status: response.status, type, text: await response.text() };
      };
      expect(await call('/')).to.include({ status: 200, text: "the host's front page" });
      expect(await call('/v2/pets')).to.include({ status: 404, text: 'the host has no such page' });
      expect(await call('/broken')).to.include({ status: 500, text: "the host's own error page" });
      expect(running.stderr()).to.equal("the host's log: a defect of the host\n");

      const authorized = { Authorization: 'Bearer the-key' };
      const type = 'application/json';
      expect(await call('/v1/pets', authorized)).to.deep.equal({ status: 200, type, text: '[]' });
      const refused = await call('/v1/pets');
      expect(refused).to.include({ status: 401, type });
      expect(JSON.parse(refused.text)).to.include({ code: 'unauthorized', status: 401 });
      const unknown = await call('/v1/nothing', authorized);
      expect(unknown).to.include({ status: 404, type });
      expect(JSON.parse(unknown.text)).to.include({ code: 'route_not_found', status: 404 });
    } finally {
      running.signal('SIGTERM');
      await running.ended;
    }
  });
});
