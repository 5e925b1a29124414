import express from 'express';
import knex from 'knex';
import {
  announce,
  checkListQuery,
  checkNewPet,
  deprecation,
  Failure,
  isAuthorized,
  linkToNext,
  notFound,
  pageText,
  parseBody,
  parseInt64,
  petText,
  routeNotFound,
  unauthorized,
} from './common.js';

const database = knex({
  client: 'sqlite3',
  connection: { filename: process.env.DATABASE_URL.slice('sqlite:'.length) },
  useNullAsDefault: true,
  pool: {
    min: 1,
    max: 1,
    afterCreate: (connection, done) => {
      connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;', done);
    },
  },
});

// sqlite3 reads integers as doubles and writes a bigint as NULL: text both ways is exact.
const columns = database.raw(
  'cast(pets.id as text) as id, name, cast(category_id as text) as categoryId, status',
);

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.use((request, _response, next) => {
  next(isAuthorized(request.headers.authorization) ? undefined : unauthorized);
});

app.get('/v1/pets', async (request, response) => {
  const query = checkListQuery(request.query);
  const { limit, after, status } = query;
  const rows = await database('pets')
    .select(columns)
    .where('pets.id', '>', after.toString())
    .andWhere(status === undefined ? {} : { status })
    .orderBy('pets.id')
    .limit(limit + 1);
  if (rows.length > limit) {
    rows.pop();
    response.set('Link', linkToNext(query, rows.at(-1).id));
  }
  response.type('application/json').send(pageText(rows));
});

app.get('/v1/pets/:petId', async (request, response) => {
  response.set(deprecation);
  const id = parseInt64(request.params.petId);
  if (id === undefined) throw notFound;
  const pet = await database('pets').select(columns).where('pets.id', id.toString()).first();
  if (pet === undefined) throw notFound;
  response.type('application/json').send(petText(pet));
});

app.post(
  '/v1/pets',
  express.text({ type: 'application/json', limit: 100_000 }),
  async (request, response) => {
    const { name, categoryId, status } = checkNewPet(parseBody(request.body));
    const row = { name, category_id: categoryId.toString(), status: status ?? null };
    const [pet] = await database('pets').insert(row).returning(columns);
    response.status(201).type('application/json').send(petText(pet));
  },
);

app.use(() => {
  throw routeNotFound;
});
app.use((error, _request, response, _next) => {
  const failure =
    error instanceof Failure ? error : new Failure(error.status ?? 500, 'internal_error', 'it failed');
  response.status(failure.status).type('application/json').send(failure.text);
});

const server = app.listen(Number(process.env.PORT), '127.0.0.1', () => {
  announce(server.address().port);
});
