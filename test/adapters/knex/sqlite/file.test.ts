import { expect } from 'chai';
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import knex, { type Knex } from 'knex';
import { type Database, knexPetRepository, migrate, openSqlite } from '../../../../adapters/knex';
import type { NewPet } from '../../../../core';
import { arbitraryNewPet } from '../../../contracts';
import { hasWriteAheadLog } from '../../../support/databases/sqlite-files';
import { success } from '../../../contracts/outcome';
import { newDatabaseFile, removeFolders } from '../../../support/temporary-folder';

const withFile = async (test: (database: Database, file: string) => Promise<void>): Promise<void> => {
  const file = await newDatabaseFile();
  const database = openSqlite(file);
  try {
    await success(migrate(database));
    await test(database, file);
  } finally {
    await database.close();
  }
};

describe('A SQLite file', () => {
  afterEach(removeFolders);

  it('needs a name: databases in memory and temporary ones are rejected at once', () => {
    for (const name of [':memory:', '']) {
      expect(() => openSqlite(name)).to.throw(TypeError, 'inMemoryPetRepository');
      expect(existsSync(':memory:')).to.equal(false);
    }
  });

  it('is not written by reads', () =>
    withFile(async ({ reads }) => {
      const refusal: unknown = await reads('heartbeats')
        .insert({ id: 9, beaten_at: 0 })
        .catch((error: unknown) => error);
      expect(refusal)
        .to.have.property('message')
        .that.matches(/readonly/);
      expect(await reads('heartbeats').pluck('id')).to.deep.equal([]);
    }));

  it('contains all writes once it is closed, also with several open readers', async () => {
    const file = await newDatabaseFile();
    for (let round = 0; round < 60; round += 1) {
      const { reads, writes, close } = openSqlite(file);
      await writes.raw('create table if not exists notes (id integer)');
      await writes('notes').insert({ id: round });
      await Promise.all([1, 2, 3].map(() => reads('notes').pluck<ReadonlyArray<unknown>>('id')));
      await close();
      expect(hasWriteAheadLog(file)).to.equal(false);
    }
  });

  it('makes an import fail if it is lost during the import', () =>
    withFile(async (database, file) => {
      async function* source(): AsyncGenerator<NewPet> {
        yield arbitraryNewPet();
        await rm(file);
        yield arbitraryNewPet();
      }
      const outcome = await knexPetRepository(database).importAll(source())();
      expect(outcome).to.have.nested.property('left._tag', 'Unavailable');
    }));
});

const hostId = 0x686f7374;

const useFile = async <A>(file: string, use: (host: Knex) => Promise<A>): Promise<A> => {
  const host = knex({ client: 'sqlite3', connection: { filename: file }, useNullAsDefault: true });
  try {
    return await use(host);
  } finally {
    await host.destroy();
  }
};

const idOf = (file: string): Promise<unknown> =>
  useFile(file, async (host): Promise<unknown> => {
    const found: unknown = await host('pragma_application_id').first();
    return found;
  });

const migrateFile = async (file: string, isOwnFile: boolean) => {
  const database = openSqlite(file, { isOwnFile });
  try {
    return await migrate(database)();
  } finally {
    await database.close();
  }
};

const withTable = (file: string) => useFile(file, (host) => host.raw('create table visitors (id integer)'));

describe('A SQLite file', () => {
  afterEach(removeFolders);

  for (const [whose, make] of [
    ['with tables of others and none of ours', withTable],
    [
      'in the same state, with a write-ahead log',
      async (file: string) => {
        await useFile(file, (host) => host.raw('pragma journal_mode = wal'));
        await withTable(file);
      },
    ],
  ] as const) {
    it(`${whose} is rejected as the store's own, and no byte of it changes`, async () => {
      const file = await newDatabaseFile();
      await make(file);
      const before = { bytes: readFileSync(file), files: readdirSync(dirname(file)) };
      const outcome = await migrateFile(file, true);
      expect(outcome).to.have.nested.property('left._tag', 'MigrationFailed');
      expect(outcome).to.have.nested.property('left.cause.message').that.includes('another program');
      expect({ bytes: readFileSync(file), files: readdirSync(dirname(file)) }).to.deep.equal(before);
    });
  }

  it('of a host gets the tables next to its own, and keeps its application_id', async () => {
    for (const id of [hostId, 0]) {
      const file = await newDatabaseFile();
      await withTable(file);
      await useFile(file, (host) => host.raw(`pragma application_id = ${id}`));
      expect(await migrateFile(file, false)).to.have.property('_tag', 'Right');
      expect(await idOf(file)).to.deep.equal({ application_id: id });
    }
  });

  it('of the store is readable by its owner only, with its other files', async () => {
    const file = await newDatabaseFile();
    const link = await newDatabaseFile();
    symlinkSync(file, link);
    const database = openSqlite(link, { isOwnFile: true });
    await success(migrate(database));
    for (const ending of ['', '-wal', '-shm']) {
      expect(statSync(`${file}${ending}`).mode & 0o777, ending).to.equal(0o600);
    }
    await database.close();
  });

  it("counts as empty if it is missing, or if it is a host's without tables", async () => {
    const file = await newDatabaseFile();
    expect(await migrateFile(file, false)).to.have.property('_tag', 'Right');
    expect(await migrateFile(file, true)).to.have.property('_tag', 'Right');
  });
});
