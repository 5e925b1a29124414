import { expect } from 'chai';
import { copyFile, readdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { killPrograms, projectFolder, shell, startProgram } from '../support/processes/command';
import { eventually } from '../support/eventually';
import { packPackage } from '../support/packages';
import { markdownBlocks } from '../support/markdown';
import { makeFolder, removeFolders } from '../support/temporary-folder';

/** What a host may have that is older than what the service runs on. */
const olderPackages = [
  'commander@12',
  'pino@9',
  'koa@2',
  'knex@2',
  'prom-client@14',
  'sqlite3@5',
  '@koa/router@12',
  '@types/koa@2',
];

describe('The library from its tarball', () => {
  let tarball = '';

  before(async () => {
    tarball = await packPackage();
  });

  afterEach(killPrograms);
  after(removeFolders);

  const newHost = async (): Promise<string> => {
    const folder = await makeFolder();
    await copyFile(tarball, join(folder, basename(tarball)));
    await writeFile(join(folder, 'package.json'), '{ "name": "host", "version": "1.0.0", "private": true }');
    return folder;
  };

  it('is installed and runs as the README says', async () => {
    const folder = await newHost();
    const added = await shell(folder, `npm install ./${basename(tarball)}`);
    expect(added.code, added.stdout + added.stderr).to.equal(0);
    const program = markdownBlocks('README.md').find(({ language }) => language === 'js')?.text ?? '';
    await writeFile(join(folder, 'shelter.mjs'), program);
    const { stdout, stderr } = await shell(folder, 'node shelter.mjs');
    expect(stderr).to.equal('');
    expect(stdout).to.equal("{ id: 1n, name: 'Rex', categoryId: 7n, status: 'available' }\n");
    expect(added.stderr).to.not.include('install-scripts');
    expect((await readdir(join(folder, 'node_modules'))).length).to.be.below(31);
  });

  it('goes beside what its host has, however old', async () => {
    for (const older of olderPackages) {
      const folder = await newHost();
      const host = await shell(folder, `npm install --ignore-scripts ${older}`);
      expect(host.code, host.stderr).to.equal(0);
      const added = await shell(folder, `npm install --ignore-scripts ./${basename(tarball)} fp-ts io-ts`);
      expect(added.code, `${older}: ${added.stderr}`).to.equal(0);
    }
  });
});

describe('npm start', () => {
  afterEach(killPrograms);

  it('is stopped by a signal, and the service with it', async () => {
    const running = startProgram('npm', ['start'], {
      folder: projectFolder,
      environment: { HOME: homedir(), PORT: '0', DATABASE_URL: 'memory:' },
    });
    const address = (): string | undefined => /serves (http:\S+) /.exec(running.stderr())?.[1];
    await eventually('it serves', 120_000, () => address() !== undefined);
    running.signal('SIGTERM');
    await running.ended;
    const refused = await fetch(`${address() ?? ''}/livez`).then(
      () => 'it answers',
      () => 'it is gone',
    );
    expect(refused).to.equal('it is gone');
  });
});
