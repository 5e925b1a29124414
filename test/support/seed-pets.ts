import type { Database } from '../../adapters/knex';
import type { Pet } from '../../core';

const isPostgres = ({ writes }: Database): boolean => writes.client.config.client === 'pg';

/** Puts animals with ids of their own into an empty catalogue, and has the database assign only larger ones. */
export const seedPets = async (database: Database, pets: ReadonlyArray<Pet>): Promise<void> => {
  const { writes } = database;
  if (pets.length === 0) return;
  await writes.batchInsert(
    'pets',
    pets.map(({ id, name, categoryId, status }) => ({
      id: id.toString(),
      name,
      category_id: categoryId.toString(),
      status: status ?? null,
    })),
    200,
  );
  const largest = pets.reduce((most, { id }) => (id > most ? id : most), 0n);
  if (isPostgres(database) && largest > 0n) {
    await writes.raw(`select setval(pg_get_serial_sequence('pets', 'id'), ?)`, [largest.toString()]);
  }
};
