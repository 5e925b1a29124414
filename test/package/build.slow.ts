import { expect } from 'chai';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { killPrograms, projectFolder, startProgram } from '../support/processes/command';
import { makeFolder, removeFolders } from '../support/temporary-folder';

/** A checkout with a program of one line, and with the packages that are installed here. */
const makeCheckout = async (): Promise<string> => {
  const folder = await makeFolder();
  for (const kept of ['deploy/packages/build.mjs', 'tsconfig.json', 'package.json', 'package-lock.json']) {
    await cp(join(projectFolder, kept), join(folder, kept));
  }
  for (const file of ['core/index.ts', 'test/contracts/index.ts', 'adapters/http/docs/page/page.html']) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), '');
  }
  await writeFile(join(folder, 'knexfile.ts'), '');
  await mkdir(join(folder, 'app'));
  await symlink(join(projectFolder, 'node_modules'), join(folder, 'node_modules'));
  return folder;
};

describe('The build', () => {
  afterEach(killPrograms);
  afterEach(removeFolders);

  it('of sources that are wrong is not taken for that of the right ones before and after them', async () => {
    const folder = await makeCheckout();
    const build = async (line: string): Promise<number | null> => {
      await writeFile(join(folder, 'app/main.ts'), `${line}\n`);
      const script = join(folder, 'deploy/packages/build.mjs');
      return (await startProgram(process.execPath, [script], { folder }).ended).code;
    };
    const right = "export const answer: string = 'right';";
    expect(await build(right)).to.equal(0);
    expect(await build("export const answer: number = 'wrong';")).to.not.equal(0);
    expect(await build(right)).to.equal(0);
    expect(await readFile(join(folder, 'dist/app/main.js'), 'utf8')).to.include("'right'");
  });
});
