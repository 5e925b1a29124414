import { knexPetRepository, migrate, openSqlite } from '../../../adapters/knex';
import type { NewPet, PetRepository } from '../../../core';
import type { Environment } from '../processes/command';
import { run } from '../run';
import { newDatabaseFile } from '../temporary-folder';

/** A SQLite file that is up to date, and the settings of a command that uses it. */
export interface Catalogue {
  readonly file: string;
  readonly environment: Environment;
}

export const environmentOf = (file: string): Environment => ({ DATABASE_URL: `sqlite:${file}` });

/** Uses a file through the repository, and closes it. */
export const withRepository = async <A>(
  file: string,
  use: (repository: PetRepository) => Promise<A>,
): Promise<A> => {
  const database = openSqlite(file);
  try {
    await run(migrate(database));
    return await use(knexPetRepository(database));
  } finally {
    await database.close();
  }
};

/** Makes a file that holds these animals, with the ids from 1. */
export const newCatalogue = async (newPets: Iterable<NewPet> = []): Promise<Catalogue> => {
  const file = await newDatabaseFile();
  await withRepository(file, ({ importAll }) => run(importAll(inTurn(newPets))));
  return { file, environment: environmentOf(file) };
};

/** One after the other, as a source gives them. */
export const inTurn = <A>(all: Iterable<A>): AsyncIterable<A> => ({
  [Symbol.asyncIterator]: () => {
    const iterator = all[Symbol.iterator]();
    return { next: () => Promise.resolve(iterator.next()) };
  },
});
