import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { projectFolder } from '../../support/processes/command';

/** Files of the core that only the client needs. Their size counts as the client's. */
const ofTheClient = ['animal-store-error', 'client', 'retry'];

const bundle = async (file: string, ...external: ReadonlyArray<string>): Promise<string> => {
  const { stdout } = await promisify(execFile)(
    join(projectFolder, 'node_modules/.bin/esbuild'),
    [
      file,
      '--bundle',
      '--minify',
      '--format=esm',
      '--platform=browser',
      ...external.map((name) => `--external:${name}`),
    ],
    { cwd: projectFolder, maxBuffer: 10_000_000 },
  );
  return stdout;
};

describe('The client, bundled for a browser', () => {
  it('is at most 4 kB without the core, gzipped', async () => {
    const core = readdirSync(join(projectFolder, 'core'))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => name.replace(/\.ts$/, ''))
      .filter((name) => !ofTheClient.includes(name));
    // Apart, because esbuild adds code for the namespace of a core that it leaves out.
    const parts = await Promise.all([
      bundle('adapters/http-client/index.ts', '../../core', 'fp-ts', 'io-ts'),
      bundle('core/client.ts', ...core.map((name) => `./${name}`), 'fp-ts', 'io-ts'),
      bundle('core/animal-store-error.ts'),
    ]);
    expect(gzipSync(parts.join('')).byteLength).to.be.within(2_000, 4_000);
  });

  it('needs no module of Node, and is at most 10 kB with the core, fp-ts and io-ts', async () => {
    const text = await bundle('adapters/http-client/index.ts');
    expect(text).not.to.match(/\brequire\(|from"node:/);
    expect(gzipSync(text).byteLength).to.be.within(4_000, 10_000);
  });
});
