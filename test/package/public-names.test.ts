import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type PublicNames, publicNames, publicNamesPage } from './public-names';

describe('the public names', function () {
  let names: PublicNames;
  before(() => {
    names = publicNames();
  });

  it('have a docstring each', () => {
    const bare = [...names].flatMap(([entry, exported]) =>
      exported.filter(({ line }) => line === '').map(({ name }) => `${entry}: ${name}`),
    );
    expect(bare).to.deep.equal([]);
  });

  it('are listed in PUBLIC-NAMES.md by `npm run format`', async () => {
    const written = await readFile(join(__dirname, 'PUBLIC-NAMES.md'), 'utf8');
    expect(written).to.equal(publicNamesPage(names));
  });
});
