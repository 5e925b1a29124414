import type { PetQuery } from '../../../core';
import { deprecationHeaders, headers, quotaHeaders } from './openapi-headers';
import { beforeRouting, failures, sharedFailures, success, unread } from './openapi-responses';

const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'available' };

/** What can be wrong with any call of an operation that needs a key. */
const anyCall = sharedFailures(['Unauthorized', 'RateLimited', 'InternalError', 'Unavailable', ...unread]);

/** A String of RFC 8941, section 3.3.3, or its characters bare, but for those that quotes are there for. */
const idempotencyKey = {
  type: 'string',
  pattern: String.raw`^(?:"(?:[ !#-\[\]-~]|\\["\\]){1,255}"|[!#-+\--\[\]-~]{1,255})$`,
};

const decimalInt64 = { type: 'integer', format: 'int64' };

/** A field that a query gets is named here too. */
const listParameters = {
  limit: {
    description: 'How many animals at most, in decimal digits.',
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  },
  status: {
    description: 'Only animals of this status.',
    schema: { $ref: '#/components/schemas/PetStatus' },
  },
  after: {
    description: 'Only animals with a larger `id`: the last one of the page before.',
    schema: decimalInt64,
  },
} satisfies { readonly [Field in keyof Required<PetQuery>]: object };

const listPets = {
  operationId: 'listPets',
  summary: 'List animals',
  description:
    'By ascending `id`. While there is more, a `Link` header carries the address of the next page. Unknown parameters are ignored.',
  tags: ['pets'],
  parameters: Object.entries(listParameters).map(([name, parameter]) => ({
    name,
    in: 'query',
    ...parameter,
  })),
  responses: {
    200: success('A page of animals.', 'Pets', [rex], { ...headers('Link'), ...quotaHeaders }),
    ...anyCall,
    ...failures(['InvalidQuery', 'MalformedRequest'], quotaHeaders),
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
        'A name for this creation, such as `8e03978e-40d5-43dd-bc93-6894a57f9324`: within 24 hours a retry under the same name adds nothing, and gets the first answer. 1 to 255 characters of visible ASCII, with or without double quotes around it, which make no difference. Only within quotes may it have a space, a comma, and, each after a backslash, `\\"` and `\\\\`.',
      schema: idempotencyKey,
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
    201: success('The animal, with its `id`.', 'Pet', rex, {
      ...headers('Location', 'Idempotent-Replayed'),
      ...quotaHeaders,
    }),
    ...anyCall,
    ...failures(
      [
        'InvalidBody',
        'MalformedJson',
        'InvalidIdempotencyKey',
        'IdempotencyKeyInFlight',
        'PayloadTooLarge',
        'UnsupportedMediaType',
        'IdempotencyKeyReused',
        'MalformedRequest',
      ],
      quotaHeaders,
    ),
  },
};

const limitedHeaders = { ...deprecationHeaders, ...quotaHeaders };

const getPet = {
  operationId: 'getPet',
  summary: 'Get an animal',
  description:
    'Deprecated since 19 November 2026, to be removed on 5 December 2030. List animals with a `status` filter instead.',
  deprecated: true,
  'x-sunset': '2030-12-05',
  tags: ['pets'],
  parameters: [
    {
      name: 'petId',
      in: 'path',
      required: true,
      description: 'The `id` of the animal, in decimal digits.',
      schema: decimalInt64,
      example: 1,
    },
  ],
  responses: {
    200: success('The animal.', 'Pet', rex, limitedHeaders),
    ...failures(['MissingApiKey', 'InvalidApiKey', ...beforeRouting], deprecationHeaders),
    ...failures(['PetNotFound', 'RateLimited', 'Defect', 'Unavailable'], limitedHeaders),
  },
};

/** The operations under `/v1`, by path. */
export const openApiPetOperations = {
  '/pets': { get: listPets, post: createPet },
  '/pets/{petId}': { get: getPet },
} as const;
