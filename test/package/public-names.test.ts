import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from '../support/command';
import { type PublicNames, publicNames, publicNamesTable } from './public-names';

const section = (text: string, title: string): string => {
  const [, from = ''] = text.split(`\n## ${title}\n`);
  return from.split(/\n## /, 1).join();
};

/** The lines of a Markdown text without the spaces that Prettier pads its tables with. */
const lines = (text: string): ReadonlyArray<string> =>
  text
    .split('\n')
    .filter((line) => /^(?:\||###)/.test(line))
    .map((line) => line.replace(/ +/g, ' ').replace(/-{3,}/g, '---'));

describe('the public names', function () {
  this.timeout(60_000);

  let names: PublicNames;
  before(() => {
    names = publicNames();
  });

  it('each have a docstring', () => {
    const bare = [...names].flatMap(([entry, exported]) =>
      exported.filter(({ line }) => line === '').map(({ name }) => `${entry}: ${name}`),
    );
    expect(bare).to.deep.equal([]);
  });

  it('stand in ARCHITECTURE.md as `npm run public-names` prints them', async () => {
    const architecture = await readFile(join(projectFolder, 'ARCHITECTURE.md'), 'utf8');
    expect(lines(section(architecture, 'Public names'))).to.deep.equal(lines(publicNamesTable(names)));
  });
});
