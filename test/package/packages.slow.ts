import { expect } from 'chai';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { eventually } from '../support/eventually';
import { isRefused } from '../support/http/client';
import { markdownBlocks } from '../support/markdown';
import { copyInstalledCheckout, packPackage } from '../support/packages';
import { killPrograms, shell, startProgram } from '../support/processes/command';
import { startAtTerminal } from '../support/processes/terminal';
import { whenServing } from '../support/service/service-process';
import { makeFolder, removeFolders } from '../support/temporary-folder';

const expectSuccess = async (folder: string, command: string) => {
  const outcome = await shell(folder, command);
  expect(outcome.code, `${command}: ${outcome.stdout}${outcome.stderr}`).to.equal(0);
  return outcome;
};

describe('The build', () => {
  afterEach(killPrograms);

  it('says at a terminal that it builds, and how long that takes', async () => {
    const folder = await copyInstalledCheckout();
    const { stdout } = startAtTerminal('exec node deploy/packages/build.mjs', { folder });
    await eventually('a line', 30_000, () => stdout() === 'building, which takes about 20 s\r\n');
  });

  it('runs before `npm start`, whose service a signal stops', async () => {
    const environment = { HOME: homedir(), PORT: '0', DATABASE_URL: 'memory:' };
    const { address, stop } = await whenServing(startProgram('npm', ['start'], { environment }));
    await stop();
    expect(await isRefused(address)).to.equal(true);
  });
});

/** Returns the links in the documents of a tarball to files that the tarball lacks. */
const brokenLinks = async (tarball: string): Promise<ReadonlyArray<string>> => {
  const folder = await makeFolder();
  await expectSuccess(folder, `tar --extract --strip-components=1 --file=${tarball}`);
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );
  expect(pages).to.include('docs/http-api.md');
  return pages.flatMap((page) =>
    [...readFileSync(join(folder, page), 'utf8').matchAll(/\]\(([^)#:]+)[^)]*\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !existsSync(join(folder, dirname(page), target)))
      .map((target) => `${page}: ${target}`),
  );
};

describe('The two packages', () => {
  let checkout = '';

  before(async () => {
    checkout = await copyInstalledCheckout();
  });

  afterEach(killPrograms);
  after(removeFolders);

  it('are written by `npm run pack`, and publint and attw find nothing wrong', async () => {
    const { stdout, stderr } = await expectSuccess(checkout, 'npm run --silent pack');
    const target = join(checkout, 'dist', 'packages');
    const written = await readdir(target);
    expect(stderr).to.equal('');
    expect(stdout).to.equal(written.map((name) => `wrote ${join(target, name)}\n`).join(''));
    expect(written.sort()).to.deep.equal(['animal-store-0.1.0.tgz', 'animal-store-service-0.1.0.tgz']);
    for (const name of written) {
      expect(await brokenLinks(join(checkout, 'dist', 'packages', name))).to.deep.equal([]);
      await expectSuccess(checkout, `npx publint --strict dist/packages/${name}`);
      await expectSuccess(checkout, `npx attw --profile strict dist/packages/${name}`);
    }
  });

  it('are not written by `npm pack`, which says what to type', async () => {
    const target = await makeFolder();
    const { code, stdout, stderr } = await shell(checkout, `npm pack --pack-destination ${target}`);
    expect(code).to.equal(1);
    expect(stdout + stderr).to.include('use npm run pack instead of npm pack');
    expect(await readdir(target)).to.deep.equal([]);
  });
});

/** Packages of a host, in versions older than the service's. */
const olderPackages = 'commander@12 pino@9 koa@2 prom-client@14 sqlite3@5 @koa/router@12 @types/koa@2';

describe('The library from its tarball', () => {
  let tarball = '';

  before(async () => {
    tarball = await packPackage();
  });

  afterEach(killPrograms);
  after(removeFolders);

  const newHost = async (): Promise<string> => {
    const folder = await makeFolder();
    await writeFile(join(folder, 'package.json'), '{ "name": "host", "version": "1.0.0", "private": true }');
    return folder;
  };

  it('is installed without install scripts, and prints what the README shows', async () => {
    const folder = await newHost();
    const added = await expectSuccess(folder, `npm install ${tarball}`);
    const blocks = markdownBlocks('README.md');
    const index = blocks.findIndex(({ language }) => language === 'js');
    await writeFile(join(folder, 'shelter.mjs'), blocks[index]?.text ?? '');
    const { stdout, stderr } = await shell(folder, 'node shelter.mjs');
    expect(stderr).to.equal('');
    expect(blocks[index + 1]).to.deep.equal({ language: '', text: stdout });
    expect(added.stderr).to.not.include('install-scripts');
    expect((await readdir(join(folder, 'node_modules'))).length).to.be.below(31);
  });

  it('is installed next to older packages of its host', async () => {
    const folder = await newHost();
    await expectSuccess(folder, `npm install --ignore-scripts ${olderPackages}`);
    await expectSuccess(folder, `npm install --ignore-scripts ${tarball} fp-ts io-ts`);
  });
});
