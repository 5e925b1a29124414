import { expect } from 'chai';
import { installPackage, libraryManifest, packPackage, readManifest } from '../support/packages';
import { startProgram } from '../support/processes/command';
import { removeFolders } from '../support/temporary-folder';
import { entries } from './public-names';

const script = (entry: string): string => `
  import { createRequire } from 'node:module';
  import * as imported from '${entry}';
  const required = createRequire(process.cwd() + '/')('${entry}');
  const names = Object.keys(required);
  const strange = names.filter((name) => imported[name] !== required[name]);
  process.stdout.write(JSON.stringify({ count: names.length, strange }));
`;

describe('an ES module that imports by name', function () {
  this.timeout(120_000);

  let folder = '';

  const compare = async (entry: string): Promise<unknown> => {
    const programArguments = ['--input-type=module', '--eval', script(entry)];
    const { stdout, stderr } = await startProgram(process.execPath, programArguments, { folder }).ended;
    expect(stderr).to.equal('');
    return JSON.parse(stdout);
  };

  before(async () => {
    const { peerDependencies } = await readManifest(libraryManifest);
    folder = await installPackage(await packPackage(), Object.keys(peerDependencies));
  });

  after(removeFolders);

  for (const [entry] of entries()) {
    it(`gets from ${entry} the very values that \`require\` gives`, async () => {
      const compared = await compare(entry);
      expect(compared).to.have.property('count').that.is.greaterThan(0);
      expect(compared).to.have.deep.property('strange', []);
    });
  }
});
