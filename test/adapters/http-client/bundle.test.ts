import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { projectFolder } from '../../support/processes/command';

/** Files of the core that only the client needs. Their size counts as the client's. */
const ofTheClient = ['animal-store-error', 'client', 'index', 'retry'];

const bundle = async (...options: ReadonlyArray<string>): Promise<string> => {
  const { stdout } = await promisify(execFile)(
    join(projectFolder, 'node_modules/.bin/esbuild'),
    [
      'adapters/http-client/index.ts',
      '--bundle',
      '--minify',
      '--format=esm',
      '--platform=browser',
      ...options,
    ],
    { cwd: projectFolder, maxBuffer: 10_000_000 },
  );
  return stdout;
};

describe('The client, bundled for a browser', () => {
  it('is at most 4.2 kB without the core, gzipped', async () => {
    const core = readdirSync(join(projectFolder, 'core'))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => name.replace(/\.ts$/, ''))
      .filter((name) => !ofTheClient.includes(name));
    const text = await bundle(
      ...core.map((name) => `--external:./${name}`),
      '--external:fp-ts',
      '--external:io-ts',
    );
    expect(gzipSync(text).byteLength).to.be.within(2_000, 4_200);
  });

  it('needs no module of Node, and is at most 10 kB with the core, fp-ts and io-ts', async () => {
    const text = await bundle();
    expect(text).not.to.match(/\brequire\(|from"node:/);
    expect(gzipSync(text).byteLength).to.be.within(4_000, 10_000);
  });
});
