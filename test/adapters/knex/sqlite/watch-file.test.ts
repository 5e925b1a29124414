import { expect } from 'chai';
import { rename, stat, truncate } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type Database, knexPetRepository, migrate, openSqlite } from '../../../../adapters/knex';
import { arbitraryNewPet } from '../../../contracts';
import { newCatalogue } from '../../../support/databases/catalogue';
import { columnOf } from '../../../support/databases/inspect-sqlite';
import { eventually } from '../../../support/eventually';
import { run } from '../../../support/run';
import { newDatabaseFile, removeFolders } from '../../../support/temporary-folder';

const checkpoint = ({ writes }: Database) => writes.raw('pragma wal_checkpoint(truncate)');

/** Two million bytes, fewer than make SQLite write its log into the file by itself. */
const fill = ({ writes }: Database) => writes.raw('insert into filler values (zeroblob(2000000))');

/** A file that is filled, and has been seen so. */
const withFilledFile = async (test: (database: Database, file: string) => Promise<void>): Promise<void> => {
  const file = await newDatabaseFile();
  const database = openSqlite(file);
  try {
    await run(migrate(database));
    await database.writes.raw('create table filler (content)');
    await fill(database);
    await checkpoint(database);
    expect(database.isFileIntact()).to.equal(true);
    await test(database, file);
  } finally {
    await database.close();
  }
};

describe('the watch over a SQLite file', () => {
  afterEach(removeFolders);

  it('takes a file that was vacuumed and filled again at once for sound', () =>
    withFilledFile(async (database, file) => {
      const { size: before } = await stat(file);
      await database.writes.raw('delete from filler');
      await database.writes.raw('vacuum');
      await checkpoint(database);
      await fill(database);
      expect((await stat(file)).size).to.be.below(before);
      await eventually('it is known to be intact', 20_000, database.isFileIntact);
      expect(database.isFileReplaced()).to.equal(false);
      await checkpoint(database);
      expect(database.isFileIntact()).to.equal(true);
    }));

  it('takes a file that was vacuumed for sound', () =>
    withFilledFile(async (database) => {
      await database.writes.raw('delete from filler');
      await database.writes.raw('vacuum');
      await checkpoint(database);
      await eventually('it is known to be intact', 20_000, database.isFileIntact);
      expect(database.isFileReplaced()).to.equal(false);
    }));

  for (const share of [0.9, 0.5, 0]) {
    it(`finds out that a file was cut to ${share} of its size, and never takes it for sound`, () =>
      withFilledFile(async (database, file) => {
        const { size } = await stat(file);
        await truncate(file, Math.floor(size * share));
        expect(database.isFileIntact()).to.equal(false);
        await eventually('it is known to be lost', 20_000, database.isFileReplaced);
        await delay(100);
        expect(database.isFileIntact()).to.equal(false);
      }));
  }

  it('lets nobody write to a file that was replaced before anybody had written', async () => {
    const [{ file }, other] = [await newCatalogue(), await newCatalogue()];
    const database = openSqlite(file);
    try {
      await database.reads('pets').first('id');
      await rename(other.file, file);
      const { create } = knexPetRepository(database);
      expect(await create(arbitraryNewPet())()).to.have.property('_tag', 'Left');
      expect(database.isFileReplaced()).to.equal(true);
      expect(await columnOf(file, 'pets', 'id')).to.deep.equal([]);
    } finally {
      await database.close();
    }
  });
});
