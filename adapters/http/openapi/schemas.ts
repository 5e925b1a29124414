import { NewPet, Pet } from '../../../core';
import { errorCodes } from './example-responses';

const int64 = { type: 'integer', format: 'int64' } as const;

const newPetProperties = {
  name: {
    type: 'string',
    description:
      "The animal's name: any text without U+0000 and without lone surrogates. It comes back byte for byte.",
    // A range of surrogates would have validators without the `u` flag refuse each half of an emoji.
    pattern: '^[^\\u0000]*$',
    examples: ['Rex'],
  },
  categoryId: {
    ...int64,
    description: 'The category that the animal belongs to. Every digit counts: it may be past 2^53.',
    examples: [7],
  },
  status: { $ref: '#/components/schemas/PetStatus' },
} as const satisfies { readonly [K in keyof Required<NewPet>]: object };

/** The JSON schemas of the interface, section 2, as the OpenAPI document has them. */
export const schemas = {
  PetStatus: {
    type: 'string',
    description: 'Whether the animal can be bought.',
    enum: ['available', 'pending', 'sold'],
  },
  NewPet: {
    type: 'object',
    description: 'An animal to be added. Other fields are ignored.',
    required: Object.keys(NewPet.required),
    properties: newPetProperties,
  },
  Pet: {
    type: 'object',
    description: 'An animal in the catalogue. Without a status it has no `status` field.',
    required: Object.keys(Pet.required),
    properties: {
      id: { ...int64, description: 'Assigned by the service.', examples: [1] },
      ...newPetProperties,
    },
  },
  Pets: {
    type: 'array',
    description: 'Animals by ascending id.',
    maxItems: 100,
    items: { $ref: '#/components/schemas/Pet' },
  },
  Error: {
    type: 'object',
    description: 'What every failure answers with.',
    required: ['code', 'message', 'status'],
    additionalProperties: false,
    properties: {
      code: { type: 'string', description: 'For programs: a closed list.', enum: errorCodes },
      message: { type: 'string', description: 'For people: its wording may change.' },
      status: {
        type: 'integer',
        description: 'The status code of the response.',
        minimum: 400,
        maximum: 599,
      },
    },
  },
  OpenApiDocument: {
    type: 'object',
    required: ['openapi', 'info', 'paths'],
    properties: { openapi: { type: 'string' }, info: { type: 'object' }, paths: { type: 'object' } },
  },
  Health: {
    type: 'object',
    required: ['status'],
    additionalProperties: false,
    properties: { status: { type: 'string', enum: ['live', 'ready'] } },
  },
} as const;
