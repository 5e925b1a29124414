// Serves the routes from a database of the host, and stores an animal together with its adoption.
import { ApiKey, decodeOrThrow, IdempotencyKey, KeyId, NewPet, openAnimalStore } from 'animal-store/core';
import { mountPetRoutes } from 'animal-store/http';
import { inMemoryApiKeys } from 'animal-store/in-memory';
import { hostDatabase, knexPetRepository, migrate } from 'animal-store/knex';
import knex from 'knex';
import Koa from 'koa';

const database = knex({
  client: 'sqlite3',
  connection: { filename: 'shelter.sqlite3' },
  useNullAsDefault: true,
  migrations: { directory: './migrations' }, // the host's
});
await database.migrate.latest();
const migrated = await migrate(hostDatabase(database))();
if (migrated._tag === 'Left') throw migrated.left.cause;

const key = decodeOrThrow(ApiKey, process.env.SHELTER_KEY);
const { authenticate } = inMemoryApiKeys([[decodeOrThrow(KeyId, 'shelter'), key]]);
const storeOn = (knexOrTransaction) =>
  openAnimalStore({ pets: knexPetRepository(hostDatabase(knexOrTransaction)), authenticate });

const app = new Koa();
mountPetRoutes(app, storeOn(database));
app.use(async (context) => {
  const { name, adopter, attempt } = context.query;
  context.body = await database.transaction(async (transaction) => {
    const opened = await storeOn(transaction)(key)();
    if (opened._tag === 'Left') throw new Error(opened.left._tag);
    const newPet = decodeOrThrow(NewPet, { name, categoryId: 7 });
    // The second argument may be left out: then a retry creates another animal.
    const created = await opened.right.createPet(newPet, decodeOrThrow(IdempotencyKey, attempt))();
    if (created._tag === 'Left') throw new Error(created.left._tag);
    const pet_id = created.right.pet.id.toString();
    await transaction('adoptions').insert({ pet_id, adopter });
    return `${adopter} takes animal ${pet_id}`;
  });
});
app.listen(3000, '127.0.0.1');
