import { expect } from 'chai';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { projectFolder } from '../support/processes/command';
import { installPackage, packPackage, runNode } from '../support/packages';
import { removeFolders } from '../support/temporary-folder';

const examples = join(projectFolder, 'test', 'examples');
/**
 * Program with inferred types in its exports. With `declaration: true`, the compiler must be able to name each of them.
 */
const reexports = `
import type { AnimalStoreClient } from 'animal-store/client';
import * as core from 'animal-store/core';
import { mountPetRoutes } from 'animal-store/http';
import { inMemoryApiKeys, inMemoryPetRepository } from 'animal-store/in-memory';
import { hostDatabase } from 'animal-store/knex';
import * as testing from 'animal-store/testing';
import Koa from 'koa';

export const operations = ({ caller, listPets, createPet, getPet }: core.AnimalStore) =>
  ({ caller, listPets, createPet, getPet });
export const methods = ({ create, createWithDetails, page, list, get }: AnimalStoreClient) =>
  ({ create, createWithDetails, page, list, get });
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
mountPetRoutes(host, core.storeOpener({ pets: inMemoryPetRepository(), authenticate }));
`;

/** Program that runs a contract suite on a repository whose full pages wrongly report a next page. */
const suite = `
import { describe, it } from 'node:test';
import { inMemoryPetRepository } from 'animal-store/in-memory';
import { petRepositoryContract } from 'animal-store/testing';

const open = (options) => {
  const sound = inMemoryPetRepository(options);
  const list = (query) => async () => {
    const page = await sound.list(query)();
    const isFull = page.right.pets.length === query.limit;
    return { ...page, right: { ...page.right, hasMore: isFull } };
  };
  return Promise.resolve({ repository: { ...sound, list }, close: () => Promise.resolve() });
};
petRepositoryContract({ describe, it }, open, { seed: 7 });
`;

/** Returns the number of passed or failed tests in the summary of node:test. */
const countOf = (output: string, word: 'pass' | 'fail'): number =>
  Number(new RegExp(`^(?:ℹ|#) ${word} ([0-9]+)$`, 'm').exec(stripVTControlCharacters(output))?.[1]);

describe('the package, packed and installed in an empty folder', function () {
  this.timeout(120_000);

  let host = '';
  let coreAlone = '';

  before(async () => {
    const tarball = await packPackage();
    host = await installPackage(tarball, [
      'koa',
      '@koa/router',
      'knex',
      'sqlite3',
      '@types/koa',
      '@types/node',
    ]);
    coreAlone = await installPackage(tarball, []);
    await cp(examples, host, { recursive: true });
    await writeFile(join(host, 'reexports.ts'), reexports);
    const { code, stdout } = await runNode(
      host,
      join(projectFolder, 'node_modules/typescript/bin/tsc'),
      '-p',
      '.',
    );
    expect(stdout).to.equal('');
    expect(code).to.equal(0);
    await cp(join(host, 'core-without-http'), coreAlone, { recursive: true });
  });

  after(removeFolders);

  it('serves the core with fp-ts in a program without HTTP', async () => {
    const { stdout, stderr } = await runNode(coreAlone, 'shelter.mjs');
    expect(stderr).to.equal('');
    expect(stdout).to.include("'2: Tom, of category 9007199254740993, without a status'");
    expect(stdout).to.include("_tag: 'InvalidNewPet'");
  });

  it('takes own-authentication through the contract, under node:test', async () => {
    const { code, stdout } = await runNode(join(host, 'own-authentication'), 'contract.node.js');
    expect(stdout).to.match(/pass [1-9]/);
    expect(code, stdout).to.equal(0);
  });

  it('names a mistake under node:test in a few lines, at a line of the sources', async () => {
    await writeFile(join(coreAlone, 'contract.mjs'), suite);
    const options = ['--test-reporter=spec', '--enable-source-maps', 'contract.mjs'];
    const { code, stdout } = await runNode(coreAlone, ...options);
    expect(code, stdout).to.be.greaterThan(0);
    expect(stdout).to.include('hasMore, of page 24 of 24, by pages of 1: got true, expected false');
    expect(stdout).to.include('random values of seed 7');
    expect(stdout.split('\n').length).to.be.lessThan(1_600);
    expect(countOf(stdout, 'pass'), stdout).to.be.greaterThan(50);
    expect(countOf(stdout, 'fail'), stdout).to.be.greaterThan(1);

    const [, file = '', line = ''] = /\((\S+lists-in-pages\.ts):(\d+):\d+\)/.exec(stdout) ?? [];
    const lines = (await readFile(file, 'utf8')).split('\n');
    expect(lines[Number(line) - 1]).to.include('expectEqual(`hasMore, of ${what}`');
  });
});
