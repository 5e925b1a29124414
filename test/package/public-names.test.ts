import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type PublicNames, publicNames, publicNamesList } from './public-names';

/** The entries and names in a Markdown text. Prettier escapes a few characters. */
const lines = (text: string): ReadonlyArray<string> =>
  text
    .split('\n')
    .filter((line) => /^(?:- |##)/.test(line))
    .map((line) => line.replaceAll('\\', ''));

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

  it('stand in PUBLIC-NAMES.md as `npm run format` writes them', async () => {
    const written = await readFile(join(__dirname, 'PUBLIC-NAMES.md'), 'utf8');
    expect(lines(written)).to.deep.equal(lines(publicNamesList(names)));
  });
});
