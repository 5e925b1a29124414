import { newPetFields, NewPet, Pet, type PetField, petFields } from '../../../core';
import { errorCodes } from './example-failures';

/** Converts an example for JSON.stringify, which throws on a bigint. */
const exampleOf = ({ example }: PetField) => (typeof example === 'bigint' ? Number(example) : example);

/** Returns the JSON schema of a field. An enumeration refers to a component with the name of its codec. */
const schemaOfField = (field: PetField): object => {
  const { description } = field;
  const examples = [exampleOf(field)];
  switch (field.kind) {
    case 'text':
      // JSON Schema counts characters; the limit is in bytes. A pattern against surrogates would make validators without
      // the `u` flag refuse each half of an emoji.
      return { type: 'string', description, maxLength: field.maxBytes, pattern: '^[^\\u0000]*$', examples };
    case 'int64':
      return { type: 'integer', format: 'int64', description, examples };
    case 'enumeration':
      return { $ref: `#/components/schemas/${field.codec.name}` };
    case 'date':
      return { type: 'string', format: 'date', description, examples };
  }
};

const propertiesOf = (fields: Readonly<Record<string, PetField>>) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, schemaOfField(field)]));

const enumerations = (fields: Readonly<Record<string, PetField>>) =>
  Object.fromEntries(
    Object.values(fields).flatMap((field) =>
      field.kind === 'enumeration'
        ? [[field.codec.name, { type: 'string', description: field.description, enum: field.values }]]
        : [],
    ),
  );

export const schemas = {
  ...enumerations(petFields),
  NewPet: {
    type: 'object',
    description: 'An animal to add. Other fields are ignored.',
    required: NewPet.required,
    properties: propertiesOf(newPetFields),
  },
  Pet: {
    type: 'object',
    description: 'An animal in the catalogue. `status` is missing if the animal was added without one.',
    required: Pet.required,
    properties: propertiesOf(petFields),
  },
  Pets: {
    type: 'array',
    description: 'Animals, sorted by ascending id.',
    maxItems: 100,
    items: { $ref: '#/components/schemas/Pet' },
  },
  Error: {
    type: 'object',
    description: 'The body of every error response.',
    required: ['code', 'message', 'status'],
    additionalProperties: false,
    properties: {
      code: {
        type: 'string',
        description: 'Machine-readable error code. The description of this API lists all codes.',
        enum: errorCodes,
      },
      message: { type: 'string', description: 'Human-readable description, whose wording may change.' },
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
};
