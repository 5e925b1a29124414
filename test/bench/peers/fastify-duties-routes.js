import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { fastifyApp, firstPage, found, serve } from './fastify-app.js';
import { isInt64, parseInt64 } from './animal.js';
import { invalidQuery } from './http.js';

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
export const serveFastifyDuties = (pets) => {
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
