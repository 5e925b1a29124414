// Serves the routes from a SQLite file that also has the API keys. Prints the first key, once.
import { storeOpener } from 'animal-store/core';
import { mountPetRoutes } from 'animal-store/http';
import { apiKeyStore, knexAuthenticate, knexPetRepository, migrate, openSqlite } from 'animal-store/knex';
import Koa from 'koa';

const database = openSqlite('animals.sqlite3');
const migrated = await migrate(database)();
if (migrated._tag === 'Left') throw migrated.left.cause;

const created = await apiKeyStore(database).bootstrapKey('the first client')();
if (created._tag === 'Left') throw created.left.cause;
// Later starts find the key of the first one. `apiKeyStore(database).create` creates more keys.
if (created.right) console.log(created.right.key);

const app = new Koa();
const authenticate = knexAuthenticate(database);
mountPetRoutes(app, storeOpener({ pets: knexPetRepository(database), authenticate }));
app.use((context) => {
  context.body = 'a page of the host';
});
app.listen(3000, '127.0.0.1');
