import { expect } from 'chai';
import { startProgram } from '../support/command';
import { entries } from './public-names';

const script = (entry: string): string => `
  import { createRequire } from 'node:module';
  import * as imported from '${entry}';
  const required = createRequire(process.cwd() + '/')('${entry}');
  const names = Object.keys(required);
  const strange = names.filter((name) => imported[name] !== required[name]);
  process.stdout.write(JSON.stringify({ count: names.length, strange }));
`;

const compare = async (entry: string): Promise<unknown> => {
  const programArguments = ['--input-type=module', '--eval', script(entry)];
  const { stdout, stderr } = await startProgram(process.execPath, programArguments).ended;
  expect(stderr).to.equal('');
  return JSON.parse(stdout);
};

describe('an ES module that imports by name', () => {
  for (const [entry] of entries()) {
    it(`gets from ${entry} the very values that \`require\` gives`, async () => {
      const compared = await compare(entry);
      expect(compared).to.have.property('count').that.is.greaterThan(0);
      expect(compared).to.have.deep.property('strange', []);
    });
  }
});
