import type { Database } from '../../adapters/knex';
import type { Pet } from '../../core';

/** Puts animals with ids of their own into the catalogue. */
export const seedPets = async ({ writes }: Database, pets: ReadonlyArray<Pet>): Promise<void> => {
  if (pets.length === 0) return;
  await writes('pets').insert(
    pets.map(({ id, name, categoryId, status }) => ({
      id: id.toString(),
      name,
      category_id: categoryId.toString(),
      status: status ?? null,
    })),
  );
};
