import { migrate, openSqlite, type StoreDatabase } from '../../../adapters/knex';
import { sqliteStatements } from '../../../adapters/knex/sqlite/statements';
import { newPetColumns, newPetRow } from '../../../adapters/knex/database/pet-columns';
import type { NewPet, Pet } from '../../../core';
import type { MaintainedRepository } from '../../contracts';
import { maintainedRepository } from './maintained-repository';
import { setLastId } from '../postgres/postgres';
import type { Environment } from '../processes/command';
import { success } from '../../contracts/outcome';
import { newDatabaseFile } from '../temporary-folder';
import { sourceOf } from '../../contracts/source-of';

/** Migrated SQLite file, and the settings of a command that uses it. */
export interface Catalogue {
  readonly file: string;
  readonly environment: Environment;
}

export const environmentOf = (file: string): Environment => ({ DATABASE_URL: `sqlite:${file}` });

/** Runs a function with a repository on a SQLite file, and closes the file afterwards. */
export const withRepository = async <A>(
  file: string,
  use: (repository: MaintainedRepository) => Promise<A>,
): Promise<A> => {
  const database = openSqlite(file);
  try {
    await success(migrate(database));
    return await use(maintainedRepository(database));
  } finally {
    await database.close();
  }
};

/** Makes a SQLite file with these animals, whose ids start at 1. */
export const newCatalogue = async (newPets: Iterable<NewPet> = []): Promise<Catalogue> => {
  const file = await newDatabaseFile();
  await withRepository(file, ({ importAll }) => success(importAll(sourceOf([...newPets]))));
  return { file, environment: environmentOf(file) };
};

/** Inserts animals with given ids into a database. */
export const seedPets = async ({ write }: StoreDatabase, pets: ReadonlyArray<Pet>): Promise<void> => {
  if (pets.length === 0) return;
  const columns = newPetColumns.map(({ name }) => name);
  const rowOf = (pet: Pet) =>
    Object.fromEntries(
      newPetRow({ newPet: pet, createdBy: null })
        .slice(0, -1)
        .map((cell, place) => [columns[place] ?? '', cell]),
    );
  await write((pool) => pool('pets').insert(pets.map((pet) => ({ id: pet.id.toString(), ...rowOf(pet) }))));
};

/** Makes a database hold exactly these animals. Later animals get greater ids. */
export const replacePets = async (database: StoreDatabase, pets: ReadonlyArray<Pet>): Promise<void> => {
  const { write } = database;
  const isPostgres = database.statements !== sqliteStatements;
  if (isPostgres) await write((pool) => pool.raw('truncate pets, idempotency_keys restart identity'));
  else
    for (const table of ['pets', 'idempotency_keys', 'sqlite_sequence'])
      await write((pool) => pool(table).delete());
  await seedPets(database, pets);
  const greatest = pets.reduce((most, { id }) => (id > most ? id : most), 0n);
  if (isPostgres && greatest > 0n) await setLastId(database, greatest);
};
