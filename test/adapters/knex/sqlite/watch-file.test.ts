import { expect } from 'chai';
import { copyFile, rename, rm, stat, truncate } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type Database, knexPetRepository, migrate, openSqlite } from '../../../../adapters/knex';
import { watchFile } from '../../../../adapters/knex/sqlite/watch-file';
import { arbitraryNewPet } from '../../../contracts';
import { newCatalogue } from '../../../support/databases/catalogue';
import { columnOf, integrityOf } from '../../../support/databases/sqlite-files';
import { arbitraryPetId } from '../../../contracts/arbitrary';
import { portFunctions } from '../../../contracts/pet-repository/port-functions';
import { eventually } from '../../../support/eventually';
import { success } from '../../../contracts/outcome';
import { newDatabaseFile, removeFolders } from '../../../support/temporary-folder';

const checkpoint = ({ writes }: Database) => writes.raw('pragma wal_checkpoint(truncate)');

/** Writes two million bytes, too few for SQLite to copy its log into the file. */
const fill = ({ writes }: Database) => writes.raw('insert into filler values (zeroblob(2000000))');

/** Runs a test with a filled file whose size `isFileIntact` has already seen. */
const withFilledFile = async (test: (database: Database, file: string) => Promise<void>): Promise<void> => {
  const file = await newDatabaseFile();
  const database = openSqlite(file);
  try {
    await success(migrate(database));
    await database.writes.raw('create table filler (content)');
    await fill(database);
    await checkpoint(database);
    expect(await database.isFileIntact()).to.equal(true);
    await test(database, file);
  } finally {
    await database.close();
  }
};

describe('the watch over a SQLite file', () => {
  afterEach(removeFolders);

  it('accepts a file that was vacuumed and filled again at once', () =>
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
      expect(await database.isFileIntact()).to.equal(true);
    }));

  for (const share of [0.9, 0.5, 0]) {
    it(`detects that a file was cut to ${share} of its size, and never accepts it`, () =>
      withFilledFile(async (database, file) => {
        const { size } = await stat(file);
        await truncate(file, Math.floor(size * share));
        expect(await database.isFileIntact()).to.equal(false);
        await eventually('it is known to be lost', 20_000, database.isFileReplaced);
        await delay(100);
        expect(await database.isFileIntact()).to.equal(false);
      }));
  }

  it('accepts a log that another program has checkpointed', () =>
    withFilledFile(async (database, file) => {
      const { create } = knexPetRepository(database);
      for (let round = 0; round < 3; round += 1) {
        await success(create(arbitraryNewPet()));
        const other = openSqlite(file);
        await checkpoint(other);
        await other.close();
        expect((await stat(`${file}-wal`)).size).to.equal(0);
        expect(await database.isFileIntact()).to.equal(true);
      }
      expect(await columnOf(file, 'pets', 'id')).to.have.lengthOf(3);
    }));

  it('accepts a log that became shorter after a checkpoint', () =>
    withFilledFile(async (database, file) => {
      const { create } = knexPetRepository(database);
      await database.writes.raw('pragma wal_autocheckpoint = 0');
      await database.writes.raw('insert into filler values (zeroblob(8000000))');
      await success(create(arbitraryNewPet()));
      const { size: before } = await stat(`${file}-wal`);
      await database.writes.raw('pragma wal_checkpoint(restart)');
      await success(create(arbitraryNewPet()));
      expect((await stat(`${file}-wal`)).size).to.be.below(before);
      expect(database.isFileReplaced()).to.equal(false);
    }));

  const losses: Readonly<Record<string, (file: string) => Promise<unknown>>> = {
    'its log was removed': (file) => rm(`${file}-wal`),
    'its log was moved': (file) => rename(`${file}-wal`, `${file}-moved`),
    'its log was replaced by a copy': async (file) => {
      await copyFile(`${file}-wal`, `${file}-copy`);
      await rename(`${file}-copy`, `${file}-wal`);
    },
    'its log was emptied': (file) => truncate(`${file}-wal`),
    'its log was cut': (file) => truncate(`${file}-wal`, 5_000),
    'its log index was removed': (file) => rm(`${file}-shm`),
    'its log index was moved': (file) => rename(`${file}-shm`, `${file}-moved`),
  };
  for (const [loss, lose] of Object.entries(losses)) {
    for (const when of ['and a create follows', 'and nothing follows']) {
      // A write before the inspection makes the log whole again.
      if (loss === 'its log was cut' && when === 'and a create follows') continue;
      it(`finds out that ${loss} ${when}, and acknowledges nothing from then on`, () =>
        withFilledFile(async (database, file) => {
          const { create } = knexPetRepository(database);
          await success(create(arbitraryNewPet()));
          await success(create(arbitraryNewPet()));
          expect(await database.isFileIntact()).to.equal(true);
          await lose(file);
          if (when === 'and a create follows')
            expect(await create(arbitraryNewPet())()).to.have.property('_tag', 'Left');
          await eventually('it is known to be lost', 20_000, database.isFileReplaced);
          expect(await create(arbitraryNewPet())()).to.have.property('_tag', 'Left');
        }));
    }
  }

  it('keeps what was acknowledged before the log was removed, once it is closed', async () => {
    const file = await newDatabaseFile();
    const database = openSqlite(file);
    await success(migrate(database));
    const { create } = knexPetRepository(database);
    await success(create(arbitraryNewPet()));
    expect(await database.isFileIntact()).to.equal(true);
    await rm(`${file}-wal`);
    expect(await create(arbitraryNewPet())()).to.have.property('_tag', 'Left');
    await database.close();
    expect(await columnOf(file, 'pets', 'id')).to.include(1);
  });

  it('leaves a file readable after its log was emptied and written again', () =>
    withFilledFile(async (database, file) => {
      const { create } = knexPetRepository(database);
      await success(create(arbitraryNewPet()));
      expect(await database.isFileIntact()).to.equal(true);
      await truncate(`${file}-wal`);
      expect(await create(arbitraryNewPet())()).to.have.property('_tag', 'Left');
      await database.close();
      const copy = `${file}-copy`;
      for (const ending of ['', '-wal']) await copyFile(`${file}${ending}`, `${copy}${ending}`);
      expect(await integrityOf(copy)).to.deep.equal(['ok']);
    }));

  it('refuses a file that was replaced while it was being opened', async () => {
    const [{ file }, other] = [await newCatalogue(), await newCatalogue()];
    const watch = watchFile(file, {
      reads: () => {
        throw new Error('nothing is asked');
      },
      passesQuickCheck: () => Promise.resolve(true),
    });
    watch.willOpen();
    await rename(other.file, file);
    expect(watch.opened()).to.be.an('error');
  });

  it('rejects writes to a file that was replaced before the first write', async () => {
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

  it('acknowledges no write once the file is gone', () =>
    withFilledFile(async (database, file) => {
      await rm(file);
      await eventually('it is known to be lost', 20_000, async () => !(await database.isFileIntact()));
      const repository = knexPetRepository(database);
      for (const [name, { call }] of Object.entries(portFunctions)) {
        const outcome = await call(repository, arbitraryPetId())();
        if (!['list', 'find'].includes(name)) expect(outcome, name).to.have.property('_tag', 'Left');
      }
    }));
});
