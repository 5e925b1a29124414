import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { type Database, knexPetRepository, migrate, openSqlite } from '../../../../adapters/knex';
import type { NewPet } from '../../../../core';
import { arbitraryNewPet } from '../../../contracts';
import { run } from '../../../support/run';
import { newDatabaseFile, removeFolders } from '../../../support/temporary-folder';

const withFile = async (test: (database: Database, file: string) => Promise<void>): Promise<void> => {
  const file = await newDatabaseFile();
  const database = openSqlite(file);
  try {
    await run(migrate(database));
    await test(database, file);
  } finally {
    await database.close();
  }
};

describe('A SQLite file', () => {
  afterEach(removeFolders);

  it('has a name: what SQLite keeps in memory or takes away is refused at once', () => {
    for (const name of [':memory:', '']) {
      expect(() => openSqlite(name)).to.throw(TypeError, 'inMemoryPetRepository');
      expect(existsSync(':memory:')).to.equal(false);
    }
  });

  it('is not written by what reads', () =>
    withFile(async ({ reads }) => {
      const refusal: unknown = await reads('heartbeats')
        .insert({ id: 9, beaten_at: 0 })
        .catch((error: unknown) => error);
      expect(refusal)
        .to.have.property('message')
        .that.matches(/readonly/);
      expect(await reads('heartbeats').pluck('id')).to.deep.equal([]);
    }));

  it('that is lost amid an import has it fail', () =>
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
