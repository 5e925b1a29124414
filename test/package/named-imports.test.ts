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

const names = libraryEntries().map(([entry]) => entry);

/** Prints how many names each entry exports, and which of them differ when an ES module imports them. */
const script = `
  import { createRequire } from 'node:module';
  const require = createRequire(process.cwd() + '/');
  const compared = {};
  for (const entry of ${JSON.stringify(names)}) {
    const [imported, required] = [await import(entry), require(entry)];
    const names = Object.keys(required);
    compared[entry] = [names.length > 0, names.filter((name) => imported[name] !== required[name])];
  }
  process.stdout.write(JSON.stringify(compared));
`;

describe('an ES module that imports by name', () => {
  after(removeFolders);

  it('gets from each entry the very values that `require` gives', async () => {
    const { peerDependencies } = await readManifest(libraryManifest);
    const folder = await installPackage(await packPackage(), Object.keys(peerDependencies));
    const programArguments = ['--input-type=module', '--eval', script];
    const { stdout, stderr } = await startProgram(process.execPath, programArguments, { folder }).ended;
    expect(stderr).to.equal('');
    expect(JSON.parse(stdout)).to.deep.equal(Object.fromEntries(names.map((name) => [name, [true, []]])));
  });
});
