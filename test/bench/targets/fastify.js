import Fastify from 'fastify';
import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { pino } from 'pino';
import {
  announce,
  checkListQuery,
  checkNewPet,
  deprecation,
  Failure,
  invalidBody,
  invalidQuery,
  isAuthorized,
  isInt64,
  linkToNext,
  notFound,
  pageText,
  parseBody,
  parseInt64,
  petText,
  routeNotFound,
  tooLarge,
  unauthorized,
} from './common.js';
import { postgresAnimals, sqliteAnimals } from './stores.js';

const json = 'application/json';

const failureOf = (error) => {
  if (error instanceof Failure) return error;
  if (error.validation !== undefined) return error.validationContext === 'body' ? invalidBody : invalidQuery;
  return error.statusCode === 413
    ? tooLarge
    : new Failure(error.statusCode ?? 500, 'internal_error', 'it failed');
};

/** A Fastify instance with what all of them do: the key, exact JSON, Error bodies; with `genReqId`, a request id too. */
const fastifyApp = (options = {}) => {
  const app = Fastify({ bodyLimit: 100_000, ...options });
  const showsId = options.genReqId !== undefined;
  app.addHook('onRequest', (request, reply, done) => {
    if (showsId) reply.header('x-request-id', request.id);
    done(isAuthorized(request.headers.authorization) ? undefined : unauthorized);
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(json, { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, parseBody(text));
    } catch (error) {
      done(error);
    }
  });
  const fail = (failure, reply) => reply.code(failure.status).header('content-type', json).send(failure.text);
  app.setErrorHandler((error, _request, reply) => fail(failureOf(error), reply));
  app.setNotFoundHandler((_request, reply) => fail(routeNotFound, reply));
  return app;
};

/** The animals that are shown of `limit + 1` that were read; the Link goes to the reply. */
const firstPage = (reply, query, rows) => {
  if (rows.length <= query.limit) return rows;
  rows.pop();
  reply.header('link', linkToNext(query, rows.at(-1).id));
  return rows;
};

/** An animal, or the failure that there is none; either way the operation is deprecated. */
const found = (reply, pet) => {
  reply.headers(deprecation);
  if (pet === undefined) throw notFound;
  return pet;
};

const serve = async (app) => {
  await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
  announce(app.server.address().port);
};

/** No logger, no schemas: what is needed is checked by hand, and JSON is written by hand. */
const serveFastifyPlain = (pets) => {
  const app = fastifyApp();
  app.get('/v1/pets', async (request, reply) => {
    const query = checkListQuery(request.query);
    const page = firstPage(reply, query, await pets.list(query));
    reply.header('content-type', json);
    return pageText(page);
  });
  app.get('/v1/pets/:petId', async (request, reply) => {
    const id = parseInt64(request.params.petId);
    const pet = found(reply, id === undefined ? undefined : await pets.find(id));
    reply.header('content-type', json);
    return petText(pet);
  });
  app.post('/v1/pets', async (request, reply) => {
    const pet = await pets.create(checkNewPet(request.body));
    reply.code(201).header('content-type', json);
    return petText(pet);
  });
  return serve(app);
};

const status = { type: 'string', enum: ['available', 'pending', 'sold'] };
const name = { type: 'string', pattern: '^[^\\u0000\\ud800-\\udfff]*$' };
const int64 = { type: 'integer' };
const required = ['name', 'categoryId'];

const newPet = { type: 'object', required, properties: { name, categoryId: { int64: true }, status } };
const pet = {
  type: 'object',
  required: ['id', ...required],
  properties: { id: int64, name: { type: 'string' }, categoryId: int64, status: { type: 'string' } },
};
const listQuery = {
  type: 'object',
  properties: {
    limit: { type: 'string', pattern: '^0*([1-9][0-9]?|100)$', default: '20' },
    after: { type: 'string', pattern: '^-?[0-9]{1,19}$', default: '0' },
    status,
  },
};
const schemas = {
  list: { querystring: listQuery, response: { 200: { type: 'array', items: pet } } },
  get: { response: { 200: pet } },
  create: { body: newPet, response: { 201: pet } },
};

const wellFormed = /^[\w.:~+/=-]{1,128}$/;

const requestId = ({ headers }) => {
  const given = headers['x-request-id'];
  return given !== undefined && wellFormed.test(given) ? given : randomUUID();
};

const decodeQuery = ({ limit, after, status }) => {
  const id = parseInt64(after);
  if (id === undefined) throw invalidQuery;
  return { limit: Number(limit), after: id, status };
};

/** Schemas check what comes and write what goes; a request has an id and one line in an asynchronous log. */
const serveFastifyDuties = (pets) => {
  const logger = pino({ base: null }, pino.destination({ dest: 1, sync: false }));
  const app = fastifyApp({
    genReqId: requestId,
    ajv: {
      customOptions: { coerceTypes: false, removeAdditional: false },
      plugins: [(ajv) => ajv.addKeyword({ keyword: 'int64', validate: (_schema, value) => isInt64(value) })],
    },
  });
  app.addHook('onResponse', (request, reply, done) => {
    logger.info(
      {
        requestId: request.id,
        method: request.method,
        path: request.url.split('?', 1)[0],
        status: reply.statusCode,
        milliseconds: reply.elapsedTime,
      },
      'request',
    );
    done();
  });
  app.get('/v1/pets', { schema: schemas.list }, async (request, reply) => {
    const query = decodeQuery(request.query);
    return firstPage(reply, query, await pets.list(query));
  });
  app.get('/v1/pets/:petId', { schema: schemas.get }, async (request, reply) => {
    const id = parseInt64(request.params.petId);
    return found(reply, id === undefined ? undefined : await pets.find(id));
  });
  app.post('/v1/pets', { schema: schemas.create }, async (request, reply) => {
    reply.code(201);
    return pets.create(request.body);
  });
  return serve(app);
};

// Run with `duties` for the duties of this service, and with `postgres` for that database.
const words = process.argv.slice(2);
const isDutiful = words.includes('duties');
const animals = words.includes('postgres') ? postgresAnimals({ asBigInt: isDutiful }) : sqliteAnimals();
await (isDutiful ? serveFastifyDuties(animals) : serveFastifyPlain(animals));
