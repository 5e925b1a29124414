// Serves the routes from a database of the host, and stores an animal together with its adoption.
import { embeddedClient } from 'animal-store/client';
import { storeOpener } from 'animal-store/core';
import { mountPetRoutes } from 'animal-store/http';
import { inMemoryApiKeys } from 'animal-store/in-memory';
import { hostDatabase, knexPetRepository, migrationConfig } from 'animal-store/knex';
import knex from 'knex';
import Koa from 'koa';

const database = knex({
  client: 'sqlite3',
  connection: { filename: 'shelter.sqlite3' },
  useNullAsDefault: true,
  migrations: { directory: './migrations' }, // the host's own migrations
});
hostDatabase(database); // throws for a Knex that the store can't use
await database.migrate.latest();
await database.migrate.latest(migrationConfig);

const apiKey = process.env.SHELTER_KEY;
const { authenticate } = inMemoryApiKeys([['shelter', apiKey]]);
const openStoreOn = (knexOrTransaction) =>
  storeOpener({ pets: knexPetRepository(hostDatabase(knexOrTransaction)), authenticate });

const app = new Koa();
mountPetRoutes(app, openStoreOn(database));
app.use(async (context) => {
  const { name, adopter, attempt } = context.query;
  context.body = await database.transaction(async (transaction) => {
    const animals = embeddedClient({ openStore: openStoreOn(transaction), apiKey });
    // With the idempotency key, a repeated request adds no second animal. `retryForMs` is 0, because a retry in a
    // failed transaction fails too.
    const { id } = await animals.create({ name, categoryId: 7 }, { idempotencyKey: attempt, retryForMs: 0 });
    await transaction('adoptions').insert({ pet_id: String(id), adopter });
    return `${adopter} takes animal ${id}`;
  });
});
app.listen(3000, '127.0.0.1');
