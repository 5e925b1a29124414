import { expect } from 'chai';
import { appendFileSync, existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import {
  killPrograms,
  projectFolder,
  requireCurrentBuild,
  shell,
  startProgram,
} from '../support/processes/command';
import { dependencies } from '../../package.json';
import { copyCheckout, linkPackage } from '../support/packages';
import { createPet } from '../support/http/client';
import { startSharedPostgres } from '../support/postgres/postgres-server';
import { whenServing } from '../support/service/service-process';
import { removeFolders } from '../support/temporary-folder';

const key = 'a-key-of-this-test-that-is-long-enough';

describe('A checkout without its development packages', () => {
  let checkout = '';

  before(async () => {
    checkout = await copyCheckout();
    requireCurrentBuild();
    await cp(join(projectFolder, 'dist'), join(checkout, 'dist'), { recursive: true });
    for (const name of Object.keys(dependencies)) await linkPackage(checkout, name);
    expect(existsSync(join(checkout, 'node_modules/typescript'))).to.equal(false);
  });

  afterEach(killPrograms);
  after(removeFolders);

  const expectToServe = async (databaseUrl: string): Promise<void> => {
    const environment = { PORT: '0', DATABASE_URL: databaseUrl, API_KEYS: key, NODE_ENV: 'production' };
    const migrated = startProgram(process.execPath, ['dist/app/main.js', 'migrate'], {
      folder: checkout,
      environment,
    });
    expect(await migrated.ended).to.include({ code: 0 });
    const { address, stop } = await whenServing(
      startProgram(process.execPath, ['dist/app/main.js', 'serve'], { folder: checkout, environment }),
    );
    expect(await createPet({ address, key }, '{"name":"Rex","categoryId":7}')).to.include({ status: 201 });
    expect(await (await fetch(`${address}/readyz`)).text()).to.match(/ok|ready/);
    expect(await stop()).to.include({ code: 0 });
  };

  it('serves on SQLite', () => expectToServe(`sqlite:${join(checkout, 'animals.sqlite3')}`));

  it('serves on PostgreSQL', async () => {
    const server = await startSharedPostgres();
    try {
      await expectToServe(server.url);
    } finally {
      await server.stop();
    }
  });

  it('needs no second build for `npm start`', async () => {
    const { code, stdout, stderr } = await shell(checkout, 'npm run build');
    expect(code, stdout + stderr).to.equal(0);
  });

  it('says how to install what a build needs, also if NODE_ENV is production', async () => {
    appendFileSync(join(checkout, 'app/main.ts'), '\n');
    const { code, stderr } = await shell(checkout, 'npm start', { NODE_ENV: 'production' });
    expect(code).to.equal(1);
    expect(stderr).to.include('run npm ci --include=dev, which installs what the build needs');
  });
});

describe('`npm ci`', () => {
  /** Runs a command of npm 10 on a version of Node, without changing any files. */
  const npmOn = (node: string, words: string) =>
    shell(projectFolder, `npx --yes --package=node@${node} --package=npm@10 -- npm ${words} --dry-run`);

  it('fails on Node 18, and names the version that it needs', async () => {
    const { code, stderr } = await npmOn('18', 'ci');
    expect(code).not.to.equal(0);
    expect(stderr).to.match(/EBADENGINE[^]*Required: {"node":">=20\.19\.0"}[^]*"node":"v18\./);
  });

  for (const folder of ['.', 'test/embedders']) {
    it(`accepts every package of ${folder} on the oldest version of Node that the service runs on`, async () => {
      const { code, stderr } = await npmOn('20.19.0', `ci --engine-strict --prefix ${folder}`);
      expect(code, stderr).to.equal(0);
    });
  }
});
