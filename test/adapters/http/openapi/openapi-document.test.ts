import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import document from '../../../../adapters/http/openapi.json';
import { observeDifferences } from '../../../support/openapi/differences';
import { projectFolder, shell } from '../../../support/processes/command';
import { makeFolder, removeFolders } from '../../../support/temporary-folder';

describe('The OpenAPI document', () => {
  after(removeFolders);

  it('says exactly what the program does', async () => {
    const differences = await observeDifferences();
    expect(differences(document)).to.deep.equal([]);
  });

  it('is valid OpenAPI 3.0 but for its version, for generators that read no later one', async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, 'openapi.json'), JSON.stringify({ ...document, openapi: '3.0.3' }));
    const redocly = join(projectFolder, 'node_modules', '.bin', 'redocly');
    const environment = { REDOCLY_TELEMETRY: 'off' };
    const { code, stderr } = await shell(
      folder,
      `${redocly} lint --extends=minimal openapi.json`,
      environment,
    );
    expect(code, stderr).to.equal(0);
  });
});
