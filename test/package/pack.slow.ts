import { expect } from 'chai';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { killPrograms, shell } from '../support/processes/command';
import { copyInstalledCheckout } from '../support/packages';
import { makeFolder, removeFolders } from '../support/temporary-folder';

describe('The two packages', () => {
  let checkout = '';

  before(async () => {
    checkout = await copyInstalledCheckout();
  });

  afterEach(killPrograms);
  after(removeFolders);

  it('are written by `npm run pack`, and publint and attw find nothing wrong', async () => {
    const { code, stderr } = await shell(checkout, 'npm run pack');
    expect(code, stderr).to.equal(0);
    const written = await readdir(join(checkout, 'dist', 'packages'));
    expect(written.sort()).to.deep.equal(['animal-store-0.1.0.tgz', 'animal-store-service-0.1.0.tgz']);
    for (const name of written) {
      for (const lint of ['publint --strict', 'attw --profile strict']) {
        const { code, stdout, stderr } = await shell(checkout, `npx ${lint} dist/packages/${name}`);
        expect(code, `${lint} ${name}: ${stdout}${stderr}`).to.equal(0);
      }
    }
  });

  it('are not what `npm pack` would write: it is refused, and says what to type', async () => {
    const target = await makeFolder();
    const { code, stdout, stderr } = await shell(checkout, `npm pack --pack-destination ${target}`);
    expect(code).to.equal(1);
    expect(stdout + stderr).to.include('`npm run pack` writes the two packages');
    expect(await readdir(target)).to.deep.equal([]);
  });
});
