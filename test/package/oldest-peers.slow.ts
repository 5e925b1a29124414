import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { killPrograms, projectFolder, shell, startProgram } from '../support/processes/command';
import { copyCheckout, libraryManifest, readManifest } from '../support/packages';
import { makeFolder, removeFolders } from '../support/temporary-folder';

/** Returns the lowest version of a range, such as `2.16.0` for `>=2.16 <4`. */
const leastOf = (range: string): string => {
  const [, major = '', minor = '0', patch = '0'] = /^\D*(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(range) ?? [];
  return `${major}.${minor}.${patch}`;
};

const link = async (target: string, path: string): Promise<void> => {
  await rm(path, { force: true });
  await mkdir(dirname(path), { recursive: true });
  await symlink(target, path);
};

/**
 * Links the installed packages into a checkout. Scopes are folders, so that a single package of a scope can be
 * replaced.
 */
const linkInstalled = async (checkout: string): Promise<void> => {
  const installed = join(projectFolder, 'node_modules');
  for (const name of await readdir(installed)) {
    const within = name.startsWith('@') ? await readdir(join(installed, name)) : [''];
    for (const inner of within) {
      await link(join(installed, name, inner), join(checkout, 'node_modules', name, inner));
    }
  }
};

describe('Beside the oldest packages that a host of the library may have', function () {
  // The timeout is long, because sqlite3 is compiled.
  this.timeout(1_800_000);

  let checkout = '';
  let oldest: ReadonlyArray<readonly [name: string, version: string]> = [];

  before(async () => {
    const { peerDependencies, peerDependenciesMeta } = await readManifest(libraryManifest);
    oldest = Object.entries(peerDependencies)
      .filter(([name]) => peerDependenciesMeta[name]?.optional === true)
      .map(([name, range]) => [name, leastOf(range)]);
    const host = await makeFolder();
    // npm compiles this old version of sqlite3. Without optimization, that takes less time.
    await writeFile(join(host, 'package.json'), '{ "private": true, "allowScripts": { "sqlite3": true } }');
    const specs = oldest.map(([name, version]) => `${name}@${version}`).join(' ');
    const installed = await shell(host, `npm install ${specs}`, { CFLAGS: '-O0', CXXFLAGS: '-O0' });
    expect(installed.code, installed.stderr).to.equal(0);

    checkout = await copyCheckout();
    await linkInstalled(checkout);
    for (const [name] of oldest) {
      const target = join(host, 'node_modules', name);
      expect(existsSync(target), name).to.equal(true);
      await link(target, join(checkout, 'node_modules', name));
    }
  });

  afterEach(killPrograms);
  after(removeFolders);

  it('the suites of the adapters pass', async () => {
    const mocha = join('node_modules', 'mocha', 'bin', 'mocha.js');
    const { code, stdout } = await startProgram(
      process.execPath,
      [mocha, '--timeout=300000', 'test/adapters'],
      { folder: checkout, environment: { HOME: process.env['HOME'] ?? '' } },
    ).ended;
    expect(code, stdout.slice(stdout.indexOf(' passing'))).to.equal(0);
    expect(stdout).to.match(/[0-9]{3} passing/);
  });
});
