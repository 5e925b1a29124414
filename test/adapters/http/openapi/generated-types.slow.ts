import { expect } from 'chai';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import openapiTypeScript, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import document from '../../../../adapters/http/openapi.json';
import { projectFolder } from '../../../support/processes/command';
import { runNode } from '../../../support/packages';
import { apiKey, whileServing } from '../../../support/service/serve-in-process';
import { makeFolder, removeFolders } from '../../../support/temporary-folder';

const program = `
import { parse, stringify } from 'lossless-json';
import createClient from 'openapi-fetch';
import type { components, paths } from './pets.d.ts';

const [baseUrl, apiKey] = process.argv.slice(2);
const headers = { Authorization: 'Bearer ' + apiKey };
const client = createClient<paths>({ baseUrl: baseUrl + '/v1', headers, bodySerializer: stringify });
const body = { name: 'Rex', categoryId: 9007199254740993n };
await client.POST('/pets', { body });
const params = { query: { categoryId: 9007199254740993n } };
const rounded = await client.GET('/pets', { params });
const { data = '' } = await client.GET('/pets', { params, parseAs: 'text' });
const [pet] = parse(data, null, BigInt) as Array<components['schemas']['Pet']>;
const id: bigint | undefined = pet?.id;
console.log(rounded.data?.[0]?.categoryId, id, pet?.categoryId);
`;

const options = ['--strict', '--target', 'ES2022', '--module', 'nodenext', '--types', 'node'];

describe('Types that openapi-typescript generates', () => {
  after(removeFolders);

  it('have bigints with a transform, and keep every digit with lossless-json but not with JSON.parse', async () => {
    const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
    const types = await openapiTypeScript(JSON.stringify(document), {
      transform: ({ format }) => (format === 'int64' ? bigint : undefined),
    });
    const folder = await makeFolder();
    await symlink(join(projectFolder, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'pets.d.ts'), astToString(types));
    await writeFile(join(folder, 'program.mts'), program);
    const compiler = join(projectFolder, 'node_modules/typescript/bin/tsc');
    const compiled = await runNode(folder, compiler, ...options, 'program.mts');
    expect(compiled.code, compiled.stdout).to.equal(0);
    await whileServing({}, async ({ address }) => {
      const { stdout, stderr } = await runNode(folder, 'program.mjs', address, apiKey);
      expect({ stdout, stderr }).to.deep.equal({
        stdout: '9007199254740992 1n 9007199254740993n\n',
        stderr: '',
      });
    });
  });
});
