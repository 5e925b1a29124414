import { expect } from 'chai';
import { copyFile, rename, rm } from 'node:fs/promises';
import { type SqliteDatabase, knexPetRepository, migrate, openSqlite } from '../../../../adapters/knex';
import { arbitraryNewPet } from '../../../contracts';
import { newCatalogue, withRepository } from '../../../support/databases/catalogue';
import { maintainedRepository } from '../../../support/databases/maintained-repository';
import { columnOf } from '../../../support/databases/sqlite-files';
import { arbitraryPetId } from '../../../contracts/arbitrary';
import { portFunctions } from '../../../contracts/pet-repository/port-functions';
import { success } from '../../../contracts/outcome';
import { newDatabaseFile, removeFolders } from '../../../support/temporary-folder';

/** Runs a test with an open database that holds an animal, and that has recorded the identity of its file. */
const withOpenFile = async (
  test: (database: SqliteDatabase, file: string) => Promise<void>,
): Promise<void> => {
  const file = await newDatabaseFile();
  const database = openSqlite(file);
  try {
    await success(migrate(database));
    await success(knexPetRepository(database).create(arbitraryNewPet()));
    expect(database.isFileReplaced()).to.equal(false);
    await test(database, file);
  } finally {
    await database.close();
  }
};

describe('the watch over a SQLite file', () => {
  afterEach(removeFolders);

  it('accepts a file that was vacuumed, and a log that another program has checkpointed', () =>
    withOpenFile(async (database, file) => {
      const { create } = knexPetRepository(database);
      for (let round = 0; round < 3; round += 1) {
        await success(create(arbitraryNewPet()));
        const other = openSqlite(file);
        await other.writePool.raw('vacuum');
        await other.writePool.raw('pragma wal_checkpoint(truncate)');
        await other.close();
        expect(database.isFileReplaced()).to.equal(false);
      }
      expect(await columnOf(file, 'pets', 'id')).to.have.lengthOf(4);
    }));

  const losses: Readonly<Record<string, (file: string) => Promise<unknown>>> = {
    'the file was removed': rm,
    'the file was replaced': async (file) => rename((await newCatalogue()).file, file),
    'its log was removed': (file) => rm(`${file}-wal`),
    'its log was moved': (file) => rename(`${file}-wal`, `${file}-moved`),
    'its log was replaced by a copy': async (file) => {
      await copyFile(`${file}-wal`, `${file}-copy`);
      await rename(`${file}-copy`, `${file}-wal`);
    },
    'its log index was removed': (file) => rm(`${file}-shm`),
  };
  for (const [loss, lose] of Object.entries(losses)) {
    it(`detects that ${loss}, and acknowledges no write from then on`, () =>
      withOpenFile(async (database, file) => {
        await lose(file);
        const repository = maintainedRepository(database);
        for (const [name, { call }] of Object.entries(portFunctions)) {
          if (['list', 'find'].includes(name)) continue;
          expect(await call(repository, arbitraryPetId())(), name).to.have.property('_tag', 'Left');
        }
        expect(database.isFileReplaced()).to.equal(true);
      }));
  }

  it('keeps what was acknowledged before the log was removed, once the database is closed', async () => {
    const { file } = await newCatalogue();
    await withRepository(file, async ({ create }) => {
      await success(create(arbitraryNewPet()));
      await rm(`${file}-wal`);
      expect(await create(arbitraryNewPet())()).to.have.property('_tag', 'Left');
    });
    expect(await columnOf(file, 'pets', 'id')).to.include(1);
  });

  it('rejects writes to a file that was replaced before the first write', async () => {
    const [{ file }, other] = [await newCatalogue(), await newCatalogue()];
    const database = openSqlite(file);
    await database.readPool('pets').first('id');
    await rename(other.file, file);
    const outcome = await knexPetRepository(database).create(arbitraryNewPet())();
    await database.close();
    expect(outcome).to.have.property('_tag', 'Left');
    expect(await columnOf(file, 'pets', 'id')).to.deep.equal([]);
  });
});
