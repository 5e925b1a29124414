import { expect } from 'chai';
import {
  installPackage,
  libraryEntries,
  libraryManifest,
  packPackage,
  readManifest,
} from '../support/packages';
import { startProgram } from '../support/processes/command';
import { removeFolders } from '../support/temporary-folder';

const entries = libraryEntries().map(([entry]) => entry);

/**
 * Returns an ES module that imports an entry by `require` and by `import`. It prints the kinds of asynchronous
 * resources that `require` starts, such as timers and sockets, and the names whose values differ.
 */
const script = (entry: string): string => `
  import { createHook } from 'node:async_hooks';
  import { createRequire } from 'node:module';
  const listeners = () => JSON.stringify(process.eventNames().map((name) => [name, process.listenerCount(name)]));
  for (const { fd } of [process.stdout, process.stderr]) fd; // opens both, which dependencies would do
  const before = listeners();
  const started = [];
  const hook = createHook({ init: (id, type) => started.push(type) }).enable();
  const required = createRequire(process.cwd() + '/')('${entry}');
  hook.disable();
  const listens = listeners() !== before;
  const imported = await import('${entry}');
  const names = Object.keys(required);
  const different = names.filter((name) => imported[name] !== required[name]);
  const others = started.filter((kind) => kind !== 'PROMISE');
  process.stdout.write(JSON.stringify({ isEmpty: names.length === 0, started: others, listens, different }));
`;

describe('The entry', () => {
  let folder = '';
  before(async () => {
    const { peerDependencies } = await readManifest(libraryManifest);
    folder = await installPackage(await packPackage(), Object.keys(peerDependencies));
  });
  after(removeFolders);

  for (const entry of entries) {
    it(`${entry} gives the same values to import and require, starts nothing and listens to nothing`, async () => {
      const programArguments = ['--input-type=module', '--eval', script(entry)];
      const { code, stdout, stderr } = await startProgram(process.execPath, programArguments, { folder })
        .ended;
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
      const expected = { isEmpty: false, started: [], listens: false, different: [] };
      expect(JSON.parse(stdout)).to.deep.equal(expected);
    });
  }
});
