import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from '../support/processes/command';
import { markdownBlocks } from '../support/package/markdown-blocks';
import { embedderFolder, runNode } from './support/embedder-folder';
import { outputs, programs } from './support/programs';

const pages = [
  'core/README.md',
  'adapters/in-memory/README.md',
  'adapters/http/README.md',
  'test/contracts/README.md',
];

const compiler = join(projectFolder, 'node_modules', 'typescript', 'bin', 'tsc');

const compilerOptions = ['--strict', '--target', 'ES2022', '--module', 'nodenext', '--types', 'node'];

describe('The pages for embedders', () => {
  it('have programs, what they print, and how to install the package', () => {
    for (const page of pages) {
      const others = markdownBlocks(page)
        .map(({ text }) => text)
        .filter((text) => !Object.values(programs(page)).includes(text));
      const installs = others.filter((text) =>
        /^npm install (?:--save-dev )?\.\/animal-store-0\.1\.0\.tgz/.test(text),
      );
      expect(installs, page).to.have.lengthOf(1);
      const printed = Object.values(outputs(page));
      expect(
        others.filter((text) => !installs.includes(text)),
        page,
      ).to.have.members(printed);
    }
  });

  /** A folder with the package, and with the programs of a page, in which those in TypeScript are compiled. */
  const write = async (page: string): Promise<string> => {
    const folder = await embedderFolder('@types/node');
    const texts = programs(page);
    for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, name), text);
    const sources = Object.keys(texts).filter((name) => name.endsWith('ts'));
    if (sources.length > 0) {
      const { code, stdout } = await runNode(folder, compiler, ...compilerOptions, ...sources);
      expect(code, stdout).to.equal(0);
    }
    return folder;
  };

  it('show in core/README.md programs that print what the page says', async () => {
    const page = 'core/README.md';
    const folder = await write(page);
    for (const name of Object.keys(programs(page))) {
      const { stdout, stderr } = await runNode(folder, name.replace(/\.(.?)ts$/, '.$1js'));
      expect(stderr, name).to.equal('');
      expect(stdout, name).to.equal(outputs(page)[name]);
    }
  });

  it('show in adapters/in-memory/README.md tests that pass', async () => {
    const folder = await write('adapters/in-memory/README.md');
    const { code, stdout } = await runNode(folder, '--test', '--test-reporter=tap', 'adoptable.test.mjs');
    expect(code, stdout).to.equal(0);
    expect(stdout).to.match(/^# pass 4$/m);
  });

  it('show in test/contracts/README.md a repository that passes the contract', async () => {
    const folder = await write('test/contracts/README.md');
    const { code, stdout } = await runNode(
      folder,
      '--test',
      '--test-reporter=tap',
      'journal-repository.test.js',
    );
    expect(code, stdout).to.equal(0);
    expect(stdout).to.match(/^# pass [1-9][0-9]/m);
  });
});
