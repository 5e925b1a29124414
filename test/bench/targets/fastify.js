import Fastify from 'fastify';
import { isInteger, parse } from 'lossless-json';
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import process from 'node:process';
import { pino } from 'pino';
import { postgresAnimals, sqliteAnimals } from './stores.js';

// With the word `duties`, each request has an id and one line in an asynchronous log. With `postgres`, the animals are
// in PostgreSQL.
const words = process.argv.slice(2);
const hasDuties = words.includes('duties');
const pets = words.includes('postgres') ? postgresAnimals() : sqliteAnimals();

/** Failure with the status and the JSON body of its response. */
class Failure extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.text = JSON.stringify({ code, message, status });
  }
}

const unauthorized = new Failure(401, 'unauthorized', 'an API key is needed');
const notFound = new Failure(404, 'pet_not_found', 'pet not found');
const routeNotFound = new Failure(404, 'route_not_found', 'route not found');
const invalidQuery = new Failure(400, 'invalid_query', 'limit, after or status is invalid');
const invalidBody = new Failure(400, 'invalid_body', 'the body must be a NewPet');
const tooLarge = new Failure(413, 'payload_too_large', 'the body is too large');

const failureOf = (error) => {
  if (error instanceof Failure) return error;
  if (error.validation !== undefined) return error.validationContext === 'body' ? invalidBody : invalidQuery;
  return error.statusCode === 413
    ? tooLarge
    : new Failure(error.statusCode ?? 500, 'internal_error', 'internal error');
};

const hashOf = (key) => createHash('sha256').update(key).digest();
const keyHash = hashOf(process.env.API_KEYS);

/** Checks an Authorization header in a time that does not depend on the key. */
const isAuthorized = (authorization) =>
  authorization !== undefined &&
  /^Bearer /i.test(authorization) &&
  timingSafeEqual(hashOf(authorization.slice(7)), keyHash);

const decimal = /^-?[0-9]{1,19}$/;

/** Returns the int64 in decimal text, or undefined. */
const parseInt64 = (text) => {
  if (!decimal.test(text)) return undefined;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
};

/** True for an int64, which is a bigint if a double can't hold it, and otherwise a number. */
const isInt64 = (value) =>
  Number.isSafeInteger(value) || (typeof value === 'bigint' && BigInt.asIntN(64, value) === value);

const exactNumber = (text) => (isInteger(text) ? BigInt(text) : Number(text));

/** Parses JSON by the native parser, and by the slow exact one if a double has lost digits of `categoryId`. */
const parseBody = (text) => {
  try {
    const body = JSON.parse(text);
    return typeof body?.categoryId === 'number' && !Number.isSafeInteger(body.categoryId)
      ? parse(text, undefined, exactNumber)
      : body;
  } catch {
    throw invalidBody;
  }
};

const wellFormed = /^[\w.:~+/=-]{1,128}$/;

const requestId = ({ headers }) => {
  const given = headers['x-request-id'];
  return given !== undefined && wellFormed.test(given) ? given : randomUUID();
};

const json = 'application/json';
const app = Fastify({
  bodyLimit: 16_384,
  ...(hasDuties && { genReqId: requestId }),
  ajv: {
    customOptions: { coerceTypes: false, removeAdditional: false },
    plugins: [(ajv) => ajv.addKeyword({ keyword: 'int64', validate: (_schema, value) => isInt64(value) })],
  },
});
app.addHook('onRequest', (request, reply, done) => {
  if (hasDuties) reply.header('x-request-id', request.id);
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

if (hasDuties) {
  const logger = pino({ base: null }, pino.destination({ dest: 1, sync: false }));
  app.addHook('onResponse', ({ id, method, url }, reply, done) => {
    const path = url.split('?', 1)[0];
    const { statusCode: status, elapsedTime: milliseconds } = reply;
    logger.info({ requestId: id, method, path, status, milliseconds }, 'request');
    done();
  });
}

const status = { type: 'string', enum: ['available', 'pending', 'sold'] };
const int64 = { type: 'integer' };
const required = ['name', 'categoryId'];
const newPet = {
  type: 'object',
  required,
  properties: {
    name: { type: 'string', maxLength: 1_000, pattern: '^[^\\u0000\\ud800-\\udfff]*$' },
    categoryId: { int64: true },
    status,
  },
};
const pet = {
  type: 'object',
  required: ['id', ...required],
  properties: { id: int64, name: { type: 'string' }, categoryId: int64, status: { type: 'string' } },
};
const listQuery = {
  type: 'object',
  properties: {
    limit: { type: 'string', pattern: '^0*([1-9][0-9]?|100)$', default: '20' },
    after: { type: 'string', default: '0' },
    status,
  },
};

app.get(
  '/v1/pets',
  { schema: { querystring: listQuery, response: { 200: { type: 'array', items: pet } } } },
  async (request, reply) => {
    const { limit, after, status } = request.query;
    const id = parseInt64(after);
    if (id === undefined) throw invalidQuery;
    const page = await pets.list({ limit: Number(limit), after: id, status });
    if (page.length > Number(limit)) {
      page.pop();
      const filter = status === undefined ? '' : `&status=${status}`;
      reply.header('link', `</v1/pets?limit=${limit}${filter}&after=${page.at(-1).id}>; rel="next"`);
    }
    return page;
  },
);
app.get('/v1/pets/:petId', { schema: { response: { 200: pet } } }, async (request, reply) => {
  reply.headers({
    Deprecation: '@1795046400',
    Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
    Link: '</v1/pets>; rel="successor-version"',
  });
  const id = parseInt64(request.params.petId);
  const found = id === undefined ? undefined : await pets.find(id);
  if (found === undefined) throw notFound;
  return found;
});
app.post('/v1/pets', { schema: { body: newPet, response: { 201: pet } } }, async (request, reply) => {
  reply.code(201);
  return pets.create(request.body);
});

await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
process.stderr.write(`serves http://127.0.0.1:${app.server.address().port} for the benchmark\n`);
