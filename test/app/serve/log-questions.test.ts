import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, createPet } from '../../support/http/client';
import { markdownBlocks } from '../../support/markdown';
import { shell } from '../../support/processes/command';
import { needsPrograms } from '../../support/processes/system';
import { serveInProcess } from '../../support/service/serve-in-process';
import { makeFolder, removeFolders } from '../../support/temporary-folder';

const key = 'a-key-of-22-characters-';

describe('The questions in docs/logs.md', () => {
  needsPrograms('jq');
  after(removeFolders);

  it('get answers from the log of a service', async () => {
    const service = await serveInProcess({ API_KEYS: key });
    await createPet({ ...service, key }, '{"name":"Rex","categoryId":7}');
    for (let count = 0; count < 3; count += 1) await call(`${service.address}/v1/pets`, { key });
    await call(`${service.address}/v1/pets`);
    const folder = await makeFolder();
    const failed = { level: 'error', err: { message: 'disk I/O error' }, msg: 'request failed' };
    writeFileSync(join(folder, 'service.log'), `${(await service.stop()).stdout}${JSON.stringify(failed)}\n`);

    const answers: Array<string> = [];
    // Leaves out the first block, because it reads the journal of systemd.
    for (const { text } of markdownBlocks('docs/logs.md').slice(1)) {
      const { code, stdout, stderr } = await shell(folder, text);
      expect(code, stderr).to.equal(0);
      answers.push(stdout.replaceAll(/^ +/gm, ''));
    }
    const [asked, slowest, causes, owners, unauthorized] = answers;
    expect(asked)
      .to.match(/^3 GET \/v1\/pets 200\n/)
      .and.include('1 POST /v1/pets 201\n');
    expect(slowest?.trim().split('\n')).to.have.lengthOf(5);
    expect(causes).to.equal('1 disk I/O error\n');
    expect(owners).to.match(/^4 \S+\n$/);
    expect(unauthorized).to.match(/^1 missing_key - \S*127\.0\.0\.1\n$/);
  });
});
