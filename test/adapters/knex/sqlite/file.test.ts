import { expect } from 'chai';
import { readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import knex, { type Knex } from 'knex';
import { type OpenedDatabase, migrate, openSqlite } from '../../../../adapters/knex';
import { hasWriteAheadLog } from '../../../support/databases/sqlite-files';
import { success } from '../../../contracts/outcome';
import { newDatabaseFile, removeFolders } from '../../../support/temporary-folder';

const withFile = async (test: (database: OpenedDatabase, file: string) => Promise<void>): Promise<void> => {
  const file = await newDatabaseFile();
  const database = openSqlite(file);
  try {
    await success(migrate(database));
    await test(database, file);
  } finally {
    await database.close();
  }
};

/** Makes a file as another program would. */
const makeFile = async (change: (host: Knex) => Promise<unknown>): Promise<string> => {
  const filename = await newDatabaseFile();
  const host = knex({ client: 'sqlite3', connection: { filename }, useNullAsDefault: true });
  await change(host).finally(() => host.destroy());
  return filename;
};

const addTable = async (host: Knex): Promise<void> => {
  await host.raw('create table visitors (id integer)');
};

const migrateFile = async (file: string, isOnlyForStore: boolean) => {
  const database = openSqlite(file, { isOnlyForStore });
  return migrate(database)().finally(() => database.close());
};

describe('A SQLite file', () => {
  afterEach(removeFolders);

  it('needs a name: databases in memory and temporary ones are rejected at once', () => {
    for (const name of [':memory:', ''])
      expect(() => openSqlite(name)).to.throw(TypeError, 'inMemoryPetRepository');
  });

  it('is synced at each commit', () =>
    withFile(async ({ writePool }) => {
      expect(await writePool.raw('pragma synchronous')).to.deep.equal([{ synchronous: 2 }]);
    }));

  it('is not written by reads', () =>
    withFile(async ({ readPool }) => {
      const refusal: unknown = await readPool('heartbeats')
        .insert({ id: 9, beaten_at: 0 })
        .catch((error: unknown) => error);
      expect(refusal)
        .to.have.property('message')
        .that.matches(/readonly/);
    }));

  it('contains all writes once it is closed, also with several open readers', async () => {
    const file = await newDatabaseFile();
    for (let round = 0; round < 60; round += 1) {
      const { readPool, writePool, close } = openSqlite(file);
      await writePool.raw('create table if not exists notes (id integer)');
      await writePool('notes').insert({ id: round });
      await Promise.all([1, 2, 3].map(() => readPool('notes').pluck<ReadonlyArray<unknown>>('id')));
      await close();
      expect(hasWriteAheadLog(file)).to.equal(false);
    }
  });

  it('has a log that shrinks after a large transaction next to other connections', () =>
    withFile(async ({ writePool }, file) => {
      const other = openSqlite(file);
      await other.readPool('pets').first('id');
      await writePool.raw(
        `insert into idempotency_keys (owner_id, idempotency_key, content_hash, pet_id, expires_at)
         with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 4000)
         select hex(zeroblob(2000)), n, '', n, 1 from numbers`,
      );
      expect(statSync(`${file}-wal`).size).to.be.greaterThan(8_000_000);
      for (let time = 0; time < 2; time += 1)
        await other.writePool('heartbeats').insert({ id: 1, beaten_at: time }).onConflict('id').merge();
      expect(statSync(`${file}-wal`).size).to.be.at.most(4 * 1024 * 1024);
      await other.close();
    }));

  for (const mode of ['delete', 'wal']) {
    it(`with only tables of others is rejected, and no byte of it changes: journal mode ${mode}`, async () => {
      const file = await makeFile(async (host) => {
        await host.raw(`pragma journal_mode = ${mode}`);
        await addTable(host);
      });
      const before = readFileSync(file);
      const outcome = await migrateFile(file, true);
      expect(outcome).to.have.nested.property('left.cause.code', 'PERMANENT');
      expect(outcome).to.have.nested.property('left.cause.message').that.includes('another program');
      expect(readFileSync(file)).to.deep.equal(before);
      expect(readdirSync(dirname(file))).to.have.lengthOf(1);
    });
  }

  it('of a host gets the tables next to its own, and keeps its application_id', async () => {
    const file = await makeFile(async (host) => {
      await host.raw('pragma application_id = 7');
      await addTable(host);
    });
    expect(await migrateFile(file, false)).to.have.property('_tag', 'Right');
    // The application_id is at offset 68 (SQLite file format).
    expect(readFileSync(file).readUInt32BE(68)).to.equal(7);
  });

  it('of the store is readable by its owner only, with its other files', async () => {
    const [file, link] = [await newDatabaseFile(), await newDatabaseFile()];
    symlinkSync(file, link);
    const database = openSqlite(link, { isOnlyForStore: true });
    await success(migrate(database));
    for (const ending of ['', '-wal', '-shm'])
      expect(statSync(`${file}${ending}`).mode & 0o777, ending).to.equal(0o600);
    await database.close();
  });
});
