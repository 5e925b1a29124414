import {
  ApiKey,
  CategoryId,
  decodeOrThrow,
  IdempotencyKey,
  KeyId,
  openAnimalStore,
  PetName,
} from 'animal-store/core';
import { inMemoryApiKeys } from 'animal-store/in-memory';
import { hostDatabase, knexPetRepository, migrate } from 'animal-store/knex';
import knex, { type Knex } from 'knex';

/** A shelter with tables and migrations of its own in the same database. */
const shelter = knex({
  client: 'sqlite3',
  connection: { filename: 'shelter.sqlite3' },
  useNullAsDefault: true,
  migrations: {
    migrationSource: {
      getMigrations: () => Promise.resolve(['20260101_adoptions']),
      getMigrationName: (name) => name,
      getMigration: () =>
        Promise.resolve({
          up: (own: Knex) =>
            own.schema.createTable('adoptions', (table) => {
              table.bigInteger('pet_id').primary();
              table.text('adopter').notNullable();
            }),
          down: (own: Knex) => own.schema.dropTable('adoptions'),
        }),
    } satisfies Knex.MigrationSource<string>,
  },
});

const key = decodeOrThrow(ApiKey, 'the-key-of-the-shelter');
const { authenticate } = inMemoryApiKeys([[decodeOrThrow(KeyId, 'shelter'), key]]);

/** Adds an animal and who takes it: both are stored, or neither. A retry under the same request makes no second one. */
const adopt = (name: string, adopter: string, request: string): Promise<bigint> =>
  shelter.transaction(async (transaction) => {
    const pets = knexPetRepository(hostDatabase(transaction));
    const opened = await openAnimalStore({ pets, authenticate })(key)();
    if (opened._tag === 'Left') throw new Error('the shelter has no key');
    const newPet = { name: decodeOrThrow(PetName, name), categoryId: decodeOrThrow(CategoryId, 7) };
    const created = await opened.right.createPet(newPet, decodeOrThrow(IdempotencyKey, request))();
    if (created._tag === 'Left') throw new Error(created.left._tag);
    const { id } = created.right.pet;
    await transaction('adoptions').insert({ pet_id: String(id), adopter });
    return id;
  });

const main = async (): Promise<void> => {
  await shelter.migrate.latest();
  const migrated = await migrate(hostDatabase(shelter))();
  if (migrated._tag === 'Left') throw migrated.left.cause;
  console.log(`${await adopt('Rex', 'Ada', 'request-1')} is Ada's`);
  // The adoption is there already, so that this one is rolled back with its animal.
  await adopt('Rex', 'Bob', 'request-1').catch(() => {
    console.log("and is not Bob's");
  });
  console.log(await shelter('pets').join('adoptions', 'pets.id', 'pet_id').select('name', 'adopter'));
};

void main().finally(() => shelter.destroy());
