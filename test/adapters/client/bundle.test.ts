import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { projectFolder, requireCurrentBuild } from '../../support/processes/command';
import { runNode } from '../../support/packages';

const maxBytes = 8_000;

describe('The client, bundled for a browser', () => {
  // docs/client.md promises less than 8 kB.
  it(`is at most ${maxBytes} bytes gzipped, without fp-ts, io-ts and modules of Node`, () => {
    requireCurrentBuild();
    const client = readFileSync(join(projectFolder, 'dist/client.mjs'), 'utf8');
    expect(gzipSync(client).byteLength).to.be.within(2_000, maxBytes);
    expect(client).not.to.match(/\brequire\(|\bfrom\s*"/);
  });

  it('has a source map, by which a stack leads to the calls in the sources', async () => {
    requireCurrentBuild();
    const program = `
      import { animalStoreClient } from './dist/client.mjs';
      await animalStoreClient({ baseUrl: 'http://127.0.0.1' }).create({}).catch(({ stack }) => console.log(stack));`;
    const options = ['--enable-source-maps', '--input-type=module', '--eval', program];
    const { stdout } = await runNode(projectFolder, ...options);
    const frames = [...stdout.matchAll(/\((\S+\.ts):(\d+):(\d+)\)/g)];
    const calls = frames.map(([, file = '', line, column]) => {
      const text = readFileSync(file, 'utf8').split('\n')[Number(line) - 1] ?? '';
      const [name] = /^(?:new )?\w+/.exec(text.slice(Number(column) - 1)) ?? [];
      return [relative(projectFolder, file), name];
    });
    expect(calls).to.deep.equal([
      ['adapters/client/animal-store-error.ts', 'new AnimalStoreError'],
      ['adapters/client/arguments.ts', 'invalidArgument'],
      ['adapters/client/client.ts', 'requireNewPet'],
      ['adapters/client/client.ts', 'createWithDetails'],
    ]);
    expect(stdout).to.include('at createWithDetails (');
  });
});
