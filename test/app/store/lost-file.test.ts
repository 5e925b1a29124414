import { expect } from 'chai';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { newCatalogue } from '../../support/databases/catalogue';
import { createPet } from '../../support/http/client';
import { runInProcess } from '../../support/processes/run-in-process';
import { killServices, startService } from '../../support/service/service-process';
import { removeFolders } from '../../support/temporary-folder';
import { namesIn } from '../transfer/support';

const key = 'a-key-of-this-test-that-is-long-enough';

describe('The log of a database file that was moved away', () => {
  afterEach(killServices);
  afterEach(removeFolders);

  it('is kept by every command, which says to put the file back', async () => {
    const { file, environment } = await newCatalogue();
    const backup = join(dirname(file), 'backup');
    await runInProcess(['backup', backup], environment);
    const service = await startService({ ...environment, API_KEYS: key });
    await createPet({ ...service, key }, '{"name":"Rex","categoryId":1}');
    service.signal('SIGKILL');
    await service.ended;
    const log = readFileSync(`${file}-wal`);
    renameSync(file, `${file}.lost`);

    for (const words of [
      ['serve'],
      ['migrate'],
      ['export', `${file}.ndjson`],
      ['backup', `${file}.backup`],
      ['copy', `sqlite:${file}.copy`],
      ['restore', backup, '--replace'],
    ])
      for (const NODE_ENV of ['development', 'production']) {
        const settings = { ...environment, NODE_ENV, PORT: '0', API_KEYS: key };
        const { code, stderr } = await runInProcess(words, settings);
        expect(stderr, words.join(' ')).to.include(`${file} is missing, but its log ${file}-wal is there`);
        expect(code).to.equal(1);
      }
    const { stdout } = await runInProcess(['doctor'], environment);
    expect(stdout).to.match(/^FAIL {2}file .*put the file back next to it/m);
    expect(readFileSync(`${file}-wal`).equals(log)).to.equal(true);

    renameSync(`${file}.lost`, file);
    expect(await namesIn(file)).to.deep.equal(['Rex']);
  });

  it('is never the name of a database, because SQLite would delete it with its animals', async () => {
    const { file, environment } = await newCatalogue();
    const backup = join(dirname(file), 'backup');
    await runInProcess(['backup', backup], environment);
    for (const ending of ['-wal', '-shm', '-journal'])
      for (const words of [['migrate'], ['serve'], ['restore', backup], ['doctor']]) {
        const DATABASE_URL = `sqlite:${file}${ending}`;
        const { code, stdout, stderr } = await runInProcess(words, { DATABASE_URL, PORT: '0' });
        expect((stdout + stderr).replaceAll(/\s+/g, ' '), words.join(' ')).to.include(
          `${file}${ending} is the name of a log of SQLite; name another file`,
        );
        expect(code).to.equal(1);
        expect(existsSync(`${file}${ending}`)).to.equal(false);
      }
  });
});
