import { expect } from 'chai';
import { openSqlite } from '../../adapters/knex';
import { postgresDatabase } from '../support/databases/databases';
import { newCatalogue } from '../support/databases/catalogue';
import { call } from '../support/http/client';
import { runInProcess } from '../support/processes/run-in-process';
import { apiKey, whileServing } from '../support/service/serve-in-process';
import { removeFolders } from '../support/temporary-folder';
import { doctor } from './store/checks/support';
import { animals, newBackupFile } from './transfer/support';

/** Makes a SQLite file with 4,000 animals, of which SQL has changed the first, one in the middle and the last. */
const newInvalidCatalogue = async () => {
  const catalogue = await newCatalogue(animals(4_000));
  const { writePool, close } = openSqlite(catalogue.file);
  await writePool('pets').where({ id: 1 }).update({ category_id: 1.5 });
  await writePool('pets').where({ id: 2_000 }).update({ category_id: 'abc' });
  await writePool.raw("update pets set name = 'Re' || char(0) || 'x' where id = 4000");
  await close();
  return catalogue;
};

const textOf = (id: number) => `the row with id ${id} in table pets is invalid; correct or delete it`;

const texts = [1, 2_000, 4_000].map(textOf);

describe('Animals on SQLite that SQL has made invalid', () => {
  afterEach(removeFolders);

  it('fail requests and doctor, which names their ids', async () => {
    const { environment } = await newInvalidCatalogue();
    const status = await whileServing(
      environment,
      async ({ address }) => (await call(`${address}/v1/pets`, { key: apiKey })).status,
    );
    expect(status).to.equal(503);
    const { failed } = await doctor(environment);
    expect(failed).to.deep.equal(texts.map((text) => ({ check: 'animals', ok: false, text })));
  });

  it('are named up to a fifth by doctor, and are no obstacle to its other checks', async () => {
    const { environment, file } = await newInvalidCatalogue();
    const { writePool, close } = openSqlite(file);
    await writePool('pets').update({ category_id: 1e300 });
    await close();
    const { results, failed } = await doctor(environment);
    expect(failed.map(({ text }) => text)).to.deep.equal([1, 2, 3, 4, 5].map(textOf));
    expect(results.map(({ check }) => check)).to.include.members(['rights', 'keys', 'port']);
  });

  it('are in a backup and can be restored, with a warning that names their ids', async () => {
    const { environment, file } = await newInvalidCatalogue();
    const backup = await newBackupFile();
    for (const [command, result] of [
      [['backup', backup], `backed up to ${backup} and checked: 4,000 animals`],
      [['restore', backup, '--check'], 'the backup can be restored: 4,000 animals, '],
      [['restore', backup, '--replace'], 'restored and checked: 4,000 animals'],
    ] as const) {
      const { code, stderr } = await runInProcess(command, { DATABASE_URL: `sqlite:${file}` });
      expect(code, stderr).to.equal(0);
      expect(stderr).to.include(result);
      expect(stderr.match(/(?<=^warning: ).*$/gm), stderr).to.deep.equal(texts);
    }
    expect((await doctor(environment)).failed).to.have.lengthOf(3);
  });

  it('are deleted by the ids that doctor names', async () => {
    const { environment } = await newInvalidCatalogue();
    for (const id of ['1', '2000', '4000']) {
      const { code, stdout, stderr } = await runInProcess(['pets', 'delete', id], environment);
      expect(code, stderr).to.equal(0);
      expect(stdout).to.equal('');
      expect(stderr).to.include(`animal ${id} deleted, which could not be read`);
    }
    expect((await doctor(environment)).failed).to.deep.equal([]);
    const { code, stdout } = await runInProcess(['log', '--pet', '2000'], environment);
    expect(code).to.equal(0);
    expect(stdout).to.match(/pets delete .*categoryId "abc"/);
  });

  it('are not copied to another database, and the error names the first id', async () => {
    const { environment } = await newInvalidCatalogue();
    const { databaseUrl, remove } = await postgresDatabase();
    const target = await newBackupFile();
    try {
      for (const url of [databaseUrl, `sqlite:${target}`]) {
        const { code, stderr } = await runInProcess(['copy', url], environment);
        expect(stderr).to.include(`error: ${textOf(1)}; nothing was copied`);
        expect(code).to.equal(1);
      }
    } finally {
      await remove();
    }
  });
});
