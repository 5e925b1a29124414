import { ApiKey, decodeOrThrow, IdempotencyKey, KeyId, NewPet, openAnimalStore } from 'animal-store/core';
import { inMemoryApiKeys } from 'animal-store/in-memory';
import { hostDatabase, knexPetRepository, migrate } from 'animal-store/knex';
import knex, { type Knex } from 'knex';

/** Database of a shelter that has its own tables and migrations next to the store's. */
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

/** Stores an animal and its adoption, or neither. A retry with the same request adds no second animal. */
const adopt = (name: string, adopter: string, request: string): Promise<bigint> =>
  shelter.transaction(async (transaction) => {
    const pets = knexPetRepository(hostDatabase(transaction));
    const opened = await openAnimalStore({ pets, authenticate })(key)();
    if (opened._tag === 'Left') throw new Error('the shelter has no key');
    const newPet = decodeOrThrow(NewPet, { name, categoryId: 7 });
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
  // This animal is already adopted, so the second adoption fails and its transaction is rolled back.
  await adopt('Rex', 'Bob', 'request-1').catch(() => {
    console.log("and is not Bob's");
  });
  console.log(await shelter('pets').join('adoptions', 'pets.id', 'pet_id').select('name', 'adopter'));
};

void main().finally(() => shelter.destroy());
