import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import openapiTS, { astToString } from 'openapi-typescript';
import { apiKey, serveInProcess } from '../support/service/serve-in-process';
import type { RunningService } from '../support/service/service-process';

const run = promisify(execFile);

const program = `
import createClient from 'openapi-fetch';
import type { components, paths } from './animal-store';

const [, , baseUrl = '', apiKey = ''] = process.argv;
const client = createClient<paths>({ baseUrl, headers: { Authorization: \`Bearer \${apiKey}\` } });

const main = async (): Promise<void> => {
  const created = await client.POST('/pets', { body: { name: 'Rex', categoryId: 7, status: 'sold' } });
  const pet: components['schemas']['Pet'] | undefined = created.data;
  const listed = await client.GET('/pets', { params: { query: { limit: 1, status: 'sold' } } });
  const names: ReadonlyArray<string> | undefined = listed.data?.map(({ name }) => name);
  const missing = await client.GET('/pets/{petId}', { params: { path: { petId: 404 } } });
  const code: components['schemas']['Error']['code'] | undefined = missing.error?.code;

  // @ts-expect-error A name is required.
  await client.POST('/pets', { body: { categoryId: 7 } });
  // @ts-expect-error There is no such status.
  await client.GET('/pets', { params: { query: { status: 'lost' } } });
  // @ts-expect-error Nothing is at this path.
  await client.GET('/dogs');
  // @ts-expect-error An Error has no such code.
  const unknownCode: boolean = missing.error?.code === 'no_such_code';

  console.log(JSON.stringify({ pet, names, code, unknownCode, sunset: missing.response.headers.get('Sunset') }));
};

void main();
`;

const strict = [
  '--strict',
  '--exactOptionalPropertyTypes',
  '--noUncheckedIndexedAccess',
  '--noUnusedLocals',
  '--skipLibCheck',
  '--target',
  'ES2022',
  '--module',
  'node20',
  '--types',
  'node',
];

describe('A typed client, generated from the served document', () => {
  let service: RunningService;
  let folder: string;
  before(async () => {
    service = await serveInProcess();
    const cache = join('node_modules', '.cache');
    await mkdir(cache, { recursive: true });
    // The folder is within the project, so that the client finds its packages.
    folder = await mkdtemp(join(cache, 'typed-client-'));
  });
  after(async () => {
    await rm(folder, { recursive: true });
    await service.stop();
  });

  it('compiles under strict TypeScript, refuses wrong calls, and works', async function () {
    const types = astToString(await openapiTS(new URL(`${service.address}/openapi.json`)));
    await writeFile(join(folder, 'animal-store.ts'), types);
    await writeFile(join(folder, 'client.ts'), program);
    await run(process.execPath, ['node_modules/typescript/bin/tsc', ...strict, join(folder, 'client.ts')]);

    const client = join(folder, 'client.js');
    const { stdout } = await run(process.execPath, [client, `${service.address}/v1`, apiKey]);
    expect(JSON.parse(stdout)).to.deep.equal({
      pet: { id: 1, name: 'Rex', categoryId: 7, status: 'sold' },
      names: ['Rex'],
      code: 'pet_not_found',
      unknownCode: false,
      sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
    });
  });
});
