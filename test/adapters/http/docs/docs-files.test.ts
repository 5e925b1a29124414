import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { docsFiles } from '../../../../adapters/http/docs/docs-files';
import { makeFolder, removeFolders } from '../../../support/temporary-folder';

describe('A file of the reference', () => {
  afterEach(removeFolders);

  it('that could not be read is read again at the next request, then kept', async () => {
    const folder = await makeFolder();
    const icon = docsFiles(folder).find(({ path }) => path === '/docs/icon.svg');
    if (icon === undefined) throw new Error('there is no icon');
    const failed = await icon.respond({}).catch((cause: unknown) => cause);
    expect(failed).to.have.property('code', 'ENOENT');

    await writeFile(join(folder, 'icon.svg'), '<svg/>');
    expect((await icon.respond({})).body?.toString()).to.equal('<svg/>');

    await writeFile(join(folder, 'icon.svg'), '<svg>another</svg>');
    expect((await icon.respond({})).body?.toString()).to.equal('<svg/>');
  });
});
