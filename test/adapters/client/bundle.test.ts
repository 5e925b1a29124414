import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { projectFolder } from '../../support/processes/command';

const maxBytes = 7_000;

const esbuild = join(projectFolder, 'node_modules/.bin/esbuild');

describe('The client, bundled for a browser', () => {
  it(`is at most ${maxBytes} bytes gzipped, without fp-ts, io-ts and modules of Node`, async () => {
    const options = ['--bundle', '--minify', '--format=esm', '--platform=browser', '--packages=external'];
    const { stdout } = await promisify(execFile)(esbuild, ['adapters/client/index.ts', ...options], {
      cwd: projectFolder,
    });
    expect(gzipSync(stdout).byteLength).to.be.within(2_000, maxBytes);
    expect(stdout).not.to.match(/\brequire\(|\bfrom\s*"/);
  });
});
