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

/** Calls the route handlers as Next does: with a subclass of Request and a promise of the parameters. */
const callRoutes = `
import { database } from './store.mjs';
import * as pets from './app/api/v1/pets/route.js';
import * as pet from './app/api/v1/pets/[petId]/route.js';

class NextRequest extends Request {}
const headers = { Authorization: 'Bearer a-key', 'Content-Type': 'application/json' };
const call = async (route, method, rest, body) => {
  const request = new NextRequest('http://localhost/api/v1/pets' + rest, { method, headers, body });
  const handle = route[method === 'HEAD' ? 'GET' : method];
  const response = await handle(request, { params: Promise.resolve({ petId: rest.slice(1) }) });
  const link = response.headers.get('Location') ?? response.headers.get('Link') ?? response.headers.get('Allow');
  console.log(method + rest, response.status, link, (await response.text()).trim());
};
const rex = '{"name":"Rex","categoryId":9007199254740993}';
await call(pets, 'POST', '', rex);
await call(pets, 'POST', '', rex);
await call(pets, 'GET', '?limit=1');
await call(pet, 'HEAD', '/1');
await call(pet, 'POST', '/1', rex);
await database.destroy();
`;

const rexText = '"name":"Rex","categoryId":9007199254740993';

describe('The pages for embedders', () => {
  after(removeFolders);

  /**
   * Makes a folder with the package, a repository and the programs of a page, and compiles the programs in TypeScript.
   */
  const write = async (
    page: string,
    change: (text: string) => string = (text) => text,
    type = 'commonjs',
    beside: ReadonlyArray<string> = ['@types/node', 'mocha', '@types/mocha'],
  ): Promise<string> => {
    const folder = await embedderFolder(...beside);
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

  it('show in docs/embedding.md route handlers of Next, to the last digit', async () => {
    const folder = await write('docs/embedding.md', undefined, 'module', ['knex', 'sqlite3']);
    await writeFile(join(folder, 'next.mjs'), callRoutes);
    const environment = { SHELTER_KEY: 'a-key' };
    const { stdout, stderr } = await startProgram(process.execPath, ['next.mjs'], { folder, environment })
      .ended;
    expect(stderr).to.equal('');
    expect(stdout.trim().split('\n')).to.deep.equal([
      `POST 201 pets/1 {"id":1,${rexText}}`,
      `POST 201 pets/2 {"id":2,${rexText}}`,
      `GET?limit=1 200 <?limit=1&after=1>; rel="next" [{"id":1,${rexText}}]`,
      'HEAD/1 200 <../pets>; rel="successor-version" ',
      'POST/1 405 GET, HEAD {"code":"method_not_allowed","message":"method not allowed; use GET, HEAD","status":405}',
    ]);
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
    ['file-repository.test.js', 'module', 'mocha', mocha, /[1-9][0-9]+ passing/],
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
