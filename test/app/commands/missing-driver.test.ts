import { expect } from 'chai';
import { readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { newCatalogue } from '../../support/databases/catalogue';
import { type Environment, main, startProgram } from '../../support/processes/command';
import { makeFolder, removeFolders } from '../../support/temporary-folder';

/** Returns options of Node that make the SQLite driver fail to load, as after `npm ci --ignore-scripts`. */
const withoutDriver = (folder: string): ReadonlyArray<string> => {
  const hook = join(folder, 'hook.cjs');
  writeFileSync(
    hook,
    `const Module = require('node:module');
     const load = Module._load;
     Module._load = (name, ...rest) => load(name === 'sqlite3' ? 'no-such-driver' : name, ...rest);`,
  );
  return ['--require', hook];
};

describe('A database driver that is not installed', () => {
  afterEach(removeFolders);

  const expectAdvice = async (command: string, environment: Environment, folder: string): Promise<void> => {
    const words = [...withoutDriver(folder), main, ...command.split(' ')];
    const { code, stdout, stderr } = await startProgram(process.execPath, words, {
      environment: { ...environment, PORT: '0' },
    }).ended;
    expect(code).to.equal(1);
    expect(stdout + stderr)
      .to.include("the database driver sqlite3 can't be loaded: Cannot find module 'no-such-driver'")
      .and.include('npm rebuild sqlite3')
      .and.not.match(/\n {4}at /);
  };

  for (const command of ['migrate', 'backup file']) {
    it(`is reported with advice instead of a stack: animal-store ${command}`, async () => {
      const { file, environment } = await newCatalogue();
      await expectAdvice(command, environment, dirname(file));
    });
  }

  it('is reported in a whole sentence, also if its compiled file is missing', async () => {
    const folder = await makeFolder();
    const hook = join(folder, 'hook.cjs');
    writeFileSync(
      hook,
      `const Module = require('node:module');
       const load = Module._load;
       Module._load = (name, ...rest) => {
         if (name === 'sqlite3') throw new Error('Could not locate the bindings file. Tried:\\n → /a\\n → /b');
         return load(name, ...rest);
       };`,
    );
    const { stderr } = await startProgram(process.execPath, ['--require', hook, main, 'serve'], {
      environment: { DATABASE_URL: `sqlite:${join(folder, 'new.sqlite3')}`, PORT: '0' },
    }).ended;
    expect(stderr).to.equal(
      "error: the database driver sqlite3 can't be loaded: Could not locate the bindings file; run `npm rebuild sqlite3`, or `npm install sqlite3` if it is not installed; without the C++ compiler that this may need, choose memory: or postgres://... as the database\n",
    );
  });

  for (const command of ['serve', 'doctor']) {
    it(`is reported before the first start too: animal-store ${command}`, async () => {
      const folder = await makeFolder();
      await expectAdvice(command, { DATABASE_URL: `sqlite:${join(folder, 'new.sqlite3')}` }, folder);
      expect(readdirSync(folder)).to.deep.equal(['hook.cjs']);
    });
  }
});
