import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { animalStoreClient } from '../../adapters/client';
import { eventually } from '../support/eventually';
import { inFolder, removeFolders } from '../support/temporary-folder';
import { projectFolder, startProgram } from '../support/processes/command';
import { freePort } from '../support/processes/system';
import { type ServiceProcess, startService } from '../support/service/service-process';
import { bundleForBrowser, embedderFolder, toolFolder } from './support/embedder-folder';

const apiKey = 'a-key-for-programs';

const programs: Readonly<Record<string, readonly [program: string, file: string]>> = {
  'animal-store/client': [process.execPath, 'client.mjs'],
  'openapi-fetch': [process.execPath, 'openapi-fetch.mjs'],
  curl: ['bash', 'curl.sh'],
  Python: ['python3', 'python.py'],
};

const namesOf = async (baseUrl: string): Promise<ReadonlyArray<string>> => {
  const names: Array<string> = [];
  for await (const { name } of animalStoreClient({ baseUrl, apiKey }).list()) names.push(name);
  return names;
};

describe('A program that adds 100 animals while the service is killed and restarted', () => {
  let folder = '';
  before(async () => {
    folder = await embedderFolder('openapi-fetch', 'openapi-typescript-helpers');
    await cp(join(projectFolder, 'test/examples/clients'), folder, { recursive: true });
  });
  after(removeFolders);

  for (const [name, [program, file]] of Object.entries(programs)) {
    it(`adds each exactly once, with ${name}`, () =>
      inFolder(async (data) => {
        const PORT = String(await freePort());
        const environment = { PORT, DATABASE_URL: `sqlite:${data}/animals.sqlite3`, API_KEYS: apiKey };
        let service: ServiceProcess = await startService(environment);
        const { address } = service;
        const running = startProgram(program, [file, address, apiKey], { folder });
        const isOver = (): Promise<boolean> =>
          Promise.race([running.ended.then(() => true), Promise.resolve(false)]);
        for (const added of [20, 50, 80]) {
          while (!(await isOver()) && (await namesOf(address)).length < added);
          service.signal('SIGKILL');
          await service.ended;
          service = await startService(environment);
        }
        expect(await running.ended).to.include({ stdout: '100\n', stderr: '', code: 0 });
        const expected = Array.from({ length: 100 }, (_, index) => `animal ${index + 1}`);
        expect(await namesOf(address)).to.deep.equal(expected);
        await service.stop();
      }));
  }
});

describe('A sync of 5,000 animals from a CSV file', () => {
  after(removeFolders);

  it('adds each exactly once while the service is killed, shows its progress, and adds none again', async () => {
    const folder = await embedderFolder('csv-parse');
    await cp(join(projectFolder, 'test/examples/clients/sync.mjs'), join(folder, 'sync.mjs'));
    const expected = Array.from({ length: 5_000 }, (_, index) => `animal, ${index}`);
    const rows = expected.map((name, index) => `${index},"${name}",9007199254740993,`);
    await writeFile(join(folder, 'animals.csv'), ['key,name,categoryId,status', ...rows].join('\n'));
    const settings = { PORT: String(await freePort()), DATABASE_URL: `sqlite:${folder}/animals.sqlite3` };
    const environment = { ...settings, API_KEYS: apiKey };
    let service = await startService(environment);
    const { address } = service;
    const sync = () =>
      startProgram(process.execPath, ['sync.mjs', 'animals.csv'], {
        folder,
        environment: { BASE_URL: address, API_KEY: apiKey },
      });
    const running = sync();
    for (const progress of ['1000 of 5000', '3000 of 5000']) {
      await eventually(progress, 60_000, () => running.stdout().includes(progress));
      service.signal('SIGKILL');
      await service.ended;
      service = await startService(environment);
    }
    const { code, stderr } = await running.ended;
    expect(code, stderr).to.equal(0);
    expect(stderr).to.match(/attempt 1 failed \(no answer: .+\), next one in \d+ ms/);
    expect(await sync().ended).to.include({ code: 0, stderr: '' });
    expect([...(await namesOf(address))].sort()).to.deep.equal([...expected].sort());
    await service.stop();
  });
});

const library = `
import { animalStoreClient, AnimalStoreError } from 'animal-store/client';
globalThis.run = async (baseUrl, apiKey) => {
  const animals = animalStoreClient({ baseUrl, apiKey });
  const { id } = await animals.create({ name: 'é🐕', categoryId: 9007199254740993n });
  const found = [];
  for await (const pet of animals.list({ pageSize: 1, after: id - 1n })) found.push(pet.name + pet.categoryId);
  const error = await animals.get(404n).catch((reason) => reason);
  const aborted = await animals.get(id, { signal: AbortSignal.abort() }).catch(({ code }) => code);
  return [found.length, found[0], error instanceof AnimalStoreError && error.code, aborted].join(' ');
};
`;

const printed = '1 é🐕9007199254740993 pet_not_found aborted';

const deno = toolFolder('@deno/linux-x64-glibc/deno');
const bun = toolFolder('@oven/bun-linux-x64/bin/bun');

describe('The client, bundled from the package', () => {
  let folder = '';
  let service: ServiceProcess;

  before(async () => {
    folder = await embedderFolder();
    await bundleForBrowser(folder, library);
  });
  beforeEach(async () => {
    service = await startService({ DATABASE_URL: 'memory:', API_KEYS: apiKey });
    const program = `import './bundle.mjs';\nconsole.log(await run('${service.address}', '${apiKey}'));\n`;
    await writeFile(join(folder, 'program.mjs'), program);
  });
  afterEach(() => service.stop());
  after(removeFolders);

  for (const [runtime, program, options] of [
    ['Node', process.execPath, []],
    ['Deno', deno, ['run', '--no-config', '--allow-net=127.0.0.1', '--quiet']],
    ['Bun', bun, ['run']],
  ] as const) {
    const isThere = existsSync(program);
    (isThere ? it : it.skip)(
      `runs in ${runtime}${isThere ? '' : ' (skipped: not installed for this platform)'}`,
      async () => {
        const environment = { HOME: folder, DENO_DIR: join(folder, 'deno') };
        const running = startProgram(program, [...options, 'program.mjs'], { folder, environment });
        expect(await running.ended).to.include({ stdout: `${printed}\n`, stderr: '', code: 0 });
      },
    );
  }
});
