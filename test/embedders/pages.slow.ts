import { expect } from 'chai';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { projectFolder, startProgram } from '../support/processes/command';
import { startService } from '../support/service/service-process';
import { removeFolders } from '../support/temporary-folder';
import { runNode } from '../support/packages';
import { embedderFolder } from './support/embedder-folder';
import { outputs, programs } from './support/programs';

const repository = join(projectFolder, 'test', 'examples', 'file-repository.ts');

const compiler = join(projectFolder, 'node_modules', 'typescript', 'bin', 'tsc');

const compilerOptions = ['--strict', '--target', 'ES2022', '--module', 'nodenext', '--types', 'node'];

describe('The pages for embedders', () => {
  after(removeFolders);

  /** Makes a folder with the package, a repository and the programs of a page, and compiles those in TypeScript. */
  const write = async (
    page: string,
    change: (text: string) => string = (text) => text,
    type = 'commonjs',
  ): Promise<string> => {
    const folder = await embedderFolder('@types/node', 'mocha', '@types/mocha');
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type }));
    await copyFile(repository, join(folder, 'file-repository.ts'));
    const texts = programs(page);
    for (const [name, text] of Object.entries(texts)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), change(text));
    }
    const sources = Object.keys(texts).filter((name) => name.endsWith('ts'));
    if (sources.length > 0) {
      const { code, stdout } = await runNode(folder, compiler, ...compilerOptions, ...sources);
      expect(code, stdout).to.equal(0);
    }
    return folder;
  };

  it('show in docs/embedding.md programs that print what the page says', async () => {
    const page = 'docs/embedding.md';
    expect(Object.keys(outputs(page))).to.deep.equal(['shelter.mjs']);
    const outcome = await runNode(await write(page), 'shelter.mjs');
    expect(outcome).to.include({ stdout: outputs(page)['shelter.mjs'], stderr: '' });
  });

  it('show in docs/client.md programs that print what the page says, against one service', async () => {
    const page = 'docs/client.md';
    const folder = await write(page);
    const service = await startService({ DATABASE_URL: 'memory:', API_KEYS: 'a-key' });
    try {
      for (const [name, printed] of Object.entries(outputs(page))) {
        const environment = { BASE_URL: service.address, API_KEY: 'a-key' };
        const program = startProgram(process.execPath, [name], { folder, environment });
        expect(await program.ended, name).to.include({ stdout: printed, stderr: '' });
      }
    } finally {
      await service.stop();
    }
  });

  const nodeTest = ['--test', '--test-reporter=tap'];
  const mocha = [join(projectFolder, 'node_modules/mocha/bin/mocha.js'), '--timeout=60000'];
  for (const [file, type, runner, command, passed] of [
    ['adoptable.test.mjs', 'commonjs', 'node:test', nodeTest, /^# pass 2$/m],
    ['file-repository.test.js', 'commonjs', 'node:test', nodeTest, /^# pass [1-9][0-9]/m],
    ['file-repository.test.js', 'module', 'node:test', nodeTest, /^# pass [1-9][0-9]/m],
    ['file-repository.test.js', 'commonjs', 'mocha', mocha, /[1-9][0-9]+ passing/],
  ] as const) {
    it(`show in docs/testing.md ${file}, which passes in a ${type} project under ${runner}`, async () => {
      const useRunner = (text: string): string => text.replace("'node:test'", `'${runner}'`);
      const folder = await write('docs/testing.md', useRunner, type);
      const { code, stdout } = await runNode(folder, ...command, file);
      expect(code, stdout).to.equal(0);
      expect(stdout).to.match(passed);
    });
  }
});
