import { invalidApiKey, idempotencyKeyInFlight, idempotencyKeyReused, unavailable } from '../../core';
import type { HttpFailure } from './http-failures';
import { openApiHeaders } from './openapi-headers';
import { failures, success } from './openapi-responses';
import { schemas } from './schemas';

const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'available' };

const beforeRouting: ReadonlyArray<HttpFailure> = [
  { _tag: 'MalformedRequest', reason: 'a request must have one Host header' },
  { _tag: 'RequestTimeout' },
  { _tag: 'ExpectationFailed' },
  { _tag: 'HeadersTooLarge' },
];

const underV1: ReadonlyArray<HttpFailure> = [
  { _tag: 'MissingApiKey' },
  invalidApiKey,
  { _tag: 'Defect', cause: undefined },
  { _tag: 'RateLimited', retryAfter: 30 },
  unavailable(undefined),
];

const limitFault = { field: 'limit', expected: 'an integer from 1 to 100' };
const nameFault = { field: 'name', expected: 'a string without U+0000 and lone surrogates' };

const decimalInt64 = { type: 'integer', format: 'int64' };

const listPets = {
  operationId: 'listPets',
  summary: 'List animals',
  description:
    'By ascending `id`. While there is more, a `Link` header carries the address of the next page. Unknown parameters are ignored.',
  tags: ['pets'],
  parameters: [
    {
      name: 'limit',
      in: 'query',
      description: 'How many animals at most, in decimal digits.',
      schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    },
    {
      name: 'status',
      in: 'query',
      description: 'Only animals of this status.',
      schema: { $ref: '#/components/schemas/PetStatus' },
    },
    {
      name: 'after',
      in: 'query',
      description: 'Only animals with a larger `id`: the last one of the page before.',
      schema: decimalInt64,
    },
  ],
  responses: {
    200: success('A page of animals.', 'Pets', [rex], openApiHeaders.nextPage),
    ...failures([{ _tag: 'InvalidQuery', faults: [limitFault] }, ...underV1, ...beforeRouting]),
  },
};

const createPet = {
  operationId: 'createPet',
  summary: 'Add an animal',
  description: 'The animal is durable once the answer is sent.',
  tags: ['pets'],
  parameters: [
    {
      name: 'Idempotency-Key',
      in: 'header',
      description:
        'A name for this creation, in double quotes, 1 to 255 characters: within 24 hours a retry under the same name adds nothing, and gets the first answer.',
      schema: { type: 'string' },
      example: '"8e03978e-40d5-43dd-bc93-6894a57f9324"',
    },
  ],
  requestBody: {
    required: true,
    description: 'The animal, in 100 kB at most.',
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/NewPet' },
        example: { name: 'Rex', categoryId: 7, status: 'available' },
      },
    },
  },
  responses: {
    201: success('The animal, with its `id`.', 'Pet', rex, openApiHeaders.replayed),
    ...failures([
      { _tag: 'InvalidBody', faults: [nameFault] },
      { _tag: 'MalformedJson', reason: 'it is not valid UTF-8' },
      { _tag: 'InvalidIdempotencyKey' },
      idempotencyKeyInFlight,
      { _tag: 'PayloadTooLarge' },
      { _tag: 'UnsupportedMediaType', expected: 'the body must be application/json, in UTF-8' },
      idempotencyKeyReused,
      ...underV1,
      ...beforeRouting,
    ]),
  },
};

const getPet = {
  operationId: 'getPet',
  summary: 'Get an animal',
  description: 'To be removed on 5 December 2030. List animals with a `status` filter instead.',
  deprecated: true,
  tags: ['pets'],
  parameters: [
    {
      name: 'petId',
      in: 'path',
      required: true,
      description: 'The `id` of the animal, in decimal digits.',
      schema: decimalInt64,
    },
  ],
  responses: {
    200: success('The animal.', 'Pet', rex, openApiHeaders.deprecated),
    ...failures(beforeRouting),
    ...failures([{ _tag: 'NoSuchPet' }, ...underV1], openApiHeaders.deprecated),
  },
};

const outsideV1 = { servers: [{ url: '/' }] };
const withoutKey = { tags: ['service'], security: [] };

const livez = {
  operationId: 'getLiveness',
  summary: 'Whether the process runs',
  ...withoutKey,
  responses: { 200: success('It runs.', 'Health', { status: 'live' }), ...failures(beforeRouting) },
};

const readyz = {
  operationId: 'getReadiness',
  summary: 'Whether requests can be served',
  ...withoutKey,
  responses: {
    200: success('They can.', 'Health', { status: 'ready' }),
    ...failures([{ _tag: 'NotReady', reason: 'the database does not answer' }, ...beforeRouting]),
  },
};

const openapi = {
  operationId: 'getOpenApiDocument',
  summary: 'This document',
  ...withoutKey,
  responses: {
    200: success('An OpenAPI 3.1 document.', 'OpenApiDocument', undefined),
    ...failures(beforeRouting),
  },
};

/** The interface as an OpenAPI 3.1 document: the one source of what `/openapi.json` serves. */
export const openApiDocument = {
  openapi: '3.1.0',
  info: {
    title: 'Animal store',
    version: '1.0.0',
    description: 'A catalogue of animals. Every operation under `/v1` needs an API key.',
  },
  servers: [{ url: '/v1' }],
  security: [{ bearerAuth: [] }],
  tags: [
    { name: 'pets', description: 'The catalogue.' },
    { name: 'service', description: 'How the service is. No key is needed.' },
  ],
  paths: {
    '/pets': { get: listPets, post: createPet },
    '/pets/{petId}': { get: getPet },
    '/livez': { ...outsideV1, get: livez },
    '/readyz': { ...outsideV1, get: readyz },
    '/openapi.json': { ...outsideV1, get: openapi },
  },
  components: {
    schemas,
    securitySchemes: {
      bearerAuth: { type: 'http', scheme: 'bearer', description: '`Authorization: Bearer <API_KEY>`' },
    },
  },
} as const;
