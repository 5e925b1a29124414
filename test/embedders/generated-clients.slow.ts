import { expect } from 'chai';
import { copyFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { killPrograms, projectFolder, shell, startProgram } from '../support/processes/command';
import { runNode } from '../support/packages';
import { apiKey, whileServing } from '../support/service/serve-in-process';
import { makeFolder, removeFolders } from '../support/temporary-folder';

const packages = ['node@24', 'typescript@5.9', '@hey-api/openapi-ts@0.99.0', 'orval@8.38.0'];

const heyApi = {
  config: `
    export default {
      input: 'openapi.json',
      output: 'generated',
      plugins: ['@hey-api/client-fetch', { name: '@hey-api/sdk', transformer: true }, '@hey-api/transformers'],
    };`,
  program: `
    import { parse, stringify } from 'lossless-json';
    import { client } from './generated/client.gen';
    import { createPet, listPets } from './generated/sdk.gen';

    const [address, apiKey] = process.argv.slice(2);
    const readDigits = async (request) => {
      const response = await fetch(request);
      return new Response(JSON.stringify(parse(await response.text(), null, String)), response);
    };
    const headers = { Authorization: 'Bearer ' + apiKey };
    client.setConfig({ baseUrl: address + '/v1', headers, bodySerializer: stringify, fetch: readDigits });
    await createPet({ body: { name: 'Rex', categoryId: 9007199254740993n } });
    const { data: [pet] } = await listPets({ query: { categoryId: 9007199254740993n } });
    console.log(pet.id, pet.categoryId);`,
};

const orval = {
  config: `
    export default {
      pets: {
        input: 'openapi.json',
        output: {
          target: 'generated.ts',
          client: 'axios-functions',
          override: { useBigInt: true, mutator: { path: 'send.ts', name: 'send' } },
        },
      },
    };`,
  mutator: `
    import { parse, stringify } from 'lossless-json';

    const [address, apiKey] = process.argv.slice(2);
    export const send = async <A>({ url, params, data, ...options }): Promise<A> => {
      const headers = { ...options.headers, Authorization: 'Bearer ' + apiKey };
      const query = new URLSearchParams(params);
      const request = { ...options, headers, body: stringify(data) };
      const response = await fetch(address + '/v1' + url + '?' + query, request);
      return parse(await response.text(), null, BigInt);
    };`,
  program: `
    import { createPet, listPets } from './generated';

    await createPet({ name: 'Rex', categoryId: 9007199254740993n });
    const [pet] = await listPets({ categoryId: 9007199254740993n });
    console.log(pet.id, pet.categoryId);`,
};

describe('A client that is generated from the OpenAPI document, as docs/client.md says', () => {
  afterEach(killPrograms);
  after(removeFolders);

  /** Generates a client, and expects that its program adds and lists an animal to the last digit. */
  const expectEveryDigit = async (
    command: string,
    files: Readonly<Record<string, string>>,
  ): Promise<void> => {
    const folder = await makeFolder();
    await copyFile(join(projectFolder, 'adapters/http/openapi.json'), join(folder, 'openapi.json'));
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const options = packages.map((name) => `--package=${name}`).join(' ');
    const generated = await shell(folder, `npx --yes ${options} -- ${command}`);
    expect(generated.code, generated.stdout + generated.stderr).to.equal(0);
    await symlink(join(projectFolder, 'node_modules'), join(folder, 'node_modules'));
    const esbuild = join(projectFolder, 'node_modules/.bin/esbuild');
    const words = ['program.ts', '--bundle', '--platform=node', '--format=esm', '--outfile=program.mjs'];
    const bundled = await startProgram(esbuild, words, { folder }).ended;
    expect(bundled.code, bundled.stderr).to.equal(0);
    await whileServing({}, async ({ address }) => {
      const { stdout, stderr } = await runNode(folder, 'program.mjs', address, apiKey);
      expect({ stdout, stderr }).to.deep.equal({ stdout: '1n 9007199254740993n\n', stderr: '' });
    });
  };

  it('keeps every digit with hey-api', () =>
    expectEveryDigit('openapi-ts', { 'openapi-ts.config.mjs': heyApi.config, 'program.ts': heyApi.program }));

  it('keeps every digit with Orval', () =>
    expectEveryDigit('orval', {
      'orval.config.mjs': orval.config,
      'send.ts': orval.mutator,
      'program.ts': orval.program,
    }));
});
