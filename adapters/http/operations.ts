import type { PetQuery } from '../../core';
import type { PetContext, Route } from './context';
import type { HttpFailure } from './errors';
import { handleCreatePet, idempotencyKeyPattern } from './handlers/create-pet';
import { handleGetPet } from './handlers/get-pet';
import { handleListPets } from './handlers/list-pets';

/** Operation under /v1: its route, its handler, and its own parts of the OpenAPI document. */
export interface PetOperation extends Route {
  readonly operationId: string;
  readonly handle: (context: PetContext) => Promise<void>;
  readonly sunset?: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: ReadonlyArray<object>;
  readonly requestBody?: object;
  readonly success: {
    readonly description: string;
    readonly schema: string;
    readonly example: unknown;
    readonly headers: ReadonlyArray<string>;
  };
  readonly failures: ReadonlyArray<HttpFailure['_tag']>;
}

const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'available' };

const decimalInt64 = { type: 'integer', format: 'int64' };

const listParameters = {
  limit: {
    description: 'Maximum number of animals in a page, as a decimal integer.',
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  },
  status: {
    description: 'Returns only animals with this status.',
    schema: { $ref: '#/components/schemas/PetStatus' },
  },
  after: {
    description:
      'Returns only animals with a larger `id` than this one. Use the last `id` of the previous page.',
    schema: decimalInt64,
  },
} satisfies { readonly [Field in keyof Required<PetQuery>]: object };

/**
 * Table of the operations under /v1. routes.ts makes the routes from it, openapi/document.ts makes the OpenAPI
 * document, and app/serve/serve.ts makes the metrics.
 */
export const petOperations: ReadonlyArray<PetOperation> = [
  {
    operationId: 'listPets',
    method: 'GET',
    path: '/v1/pets',
    successStatus: 200,
    handle: handleListPets,
    summary: 'List animals',
    description:
      'Sorted by ascending `id`. If more animals follow, the `Link` header has the address of the next page. Unknown parameters are ignored.',
    parameters: Object.entries(listParameters).map(([name, parameter]) => ({
      name,
      in: 'query',
      ...parameter,
    })),
    success: { description: 'A page of animals.', schema: 'Pets', example: [rex], headers: ['Link'] },
    failures: ['InvalidQuery'],
  },
  {
    operationId: 'createPet',
    method: 'POST',
    path: '/v1/pets',
    successStatus: 201,
    handle: handleCreatePet,
    summary: 'Add an animal',
    description: 'The animal is stored durably before the response is sent.',
    parameters: [
      {
        name: 'Idempotency-Key',
        in: 'header',
        description:
          'A key that identifies this create, such as `8e03978e-40d5-43dd-bc93-6894a57f9324`. A retry with the same key within 24 hours adds no second animal: the response has the first one. A key has 1 to 255 printable ASCII characters. If it has spaces, commas, quotes or backslashes, put it in double quotes, and write a quote in it as `\\"` and a backslash as `\\\\`.',
        schema: { type: 'string', pattern: idempotencyKeyPattern },
      },
    ],
    requestBody: {
      required: true,
      description: 'The animal to add, as at most 16 kB of JSON.',
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/NewPet' },
          example: { name: 'Rex', categoryId: 7, status: 'available' },
        },
      },
    },
    success: {
      description: 'The animal, with its `id`.',
      schema: 'Pet',
      example: rex,
      headers: ['Location', 'Idempotent-Replayed'],
    },
    failures: [
      'InvalidNewPet',
      'MalformedJson',
      'InvalidIdempotencyKey',
      'IdempotencyKeyInFlight',
      'PayloadTooLarge',
      'UnsupportedMediaType',
      'IdempotencyKeyReused',
    ],
  },
  {
    operationId: 'getPet',
    method: 'GET',
    path: '/v1/pets/:petId',
    successStatus: 200,
    // RFC 9745, 8594 and 5829. The Link is relative, so that it works behind any path prefix.
    headers: {
      Deprecation: '@1795046400',
      Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
      Link: '<../pets>; rel="successor-version"',
    },
    sunset: '2030-12-05',
    handle: handleGetPet,
    summary: 'Get an animal',
    description:
      'Deprecated since 19 November 2026, to be removed on 5 December 2030. Use `GET /pets?after={petId - 1}&limit=1` instead, and compare the `id`: if no animal has the id `petId`, that request returns the animal with the next larger id, or an empty page.',
    parameters: [
      {
        name: 'petId',
        in: 'path',
        required: true,
        description: 'The `id` of the animal, as a decimal integer.',
        schema: decimalInt64,
        example: 1,
      },
    ],
    success: {
      description: 'The animal.',
      schema: 'Pet',
      example: rex,
      headers: ['Deprecation', 'Sunset', 'Link'],
    },
    failures: ['PetNotFound'],
  },
];

export const petMethods = [
  ...new Set(petOperations.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))),
];
