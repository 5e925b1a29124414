import { expect } from 'chai';
import { once } from 'node:events';
import { rm, truncate } from 'node:fs/promises';
import { newCatalogue } from '../../support/databases/catalogue';
import { columnOf } from '../../support/databases/sqlite-files';
import { eventually } from '../../support/eventually';
import { killPrograms, main, startProgram } from '../../support/processes/command';
import { removeFolders } from '../../support/temporary-folder';

describe('An import whose SQLite file is lost', () => {
  afterEach(killPrograms);
  afterEach(removeFolders);

  const losses: Readonly<Record<string, (file: string) => Promise<void>>> = {
    'the log is removed': (file) => rm(`${file}-wal`),
    'the log is emptied': (file) => truncate(`${file}-wal`),
    'the file is removed': rm,
  };
  for (const [loss, lose] of Object.entries(losses)) {
    it(`ends: ${loss}`, async () => {
      const { file, environment } = await newCatalogue();
      const running = startProgram(process.execPath, [main, 'import', '--format=ndjson', '-'], {
        environment,
        isFed: true,
      });
      await eventually('the database is open', 20_000, () => running.stderr().includes('database: '));
      // The import has written, and so has a log, once its buffers can take no more.
      for (let row = 0; row < 200_000; row += 1) running.stdin.write(`{"name":"${row}","categoryId":1}\n`);
      await once(running.stdin, 'drain');
      await lose(file);
      running.stdin.end();
      const { code, stderr } = await running.ended;
      // The watch does not notice an emptied log.
      if (loss !== 'the log is emptied') expect(code, stderr).to.equal(1);
      if (loss === 'the log is removed')
        expect(await columnOf(file, 'animal_store_migrations', 'id')).to.have.lengthOf(1);
    });
  }
});
