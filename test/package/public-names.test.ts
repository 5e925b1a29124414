import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type PublicNames, publicNames, publicNamesTable } from './public-names';

/** The lines of a Markdown text without the spaces that Prettier pads its tables with. */
const lines = (text: string): ReadonlyArray<string> =>
  text
    .split('\n')
    .filter((line) => /^(?:\||###)/.test(line))
    .map((line) => line.replace(/ +/g, ' ').replace(/-{3,}/g, '---'));

describe('the public names', function () {
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

  it('stand in PUBLIC-NAMES.md as `npm run public-names` writes them', async () => {
    const written = await readFile(join(__dirname, 'PUBLIC-NAMES.md'), 'utf8');
    expect(lines(written)).to.deep.equal(lines(publicNamesTable(names)));
  });
});
