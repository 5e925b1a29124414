import { pipe } from 'fp-ts/function';
import * as NEA from 'fp-ts/NonEmptyArray';
import * as R from 'fp-ts/Record';
import { type FieldRule, maxPageSize, type Pet, petFieldNames, petRules } from '../../../core';
import { describeFailure, errorBody, type HttpFailure } from '../errors';
import type { PetOperation } from '../operations';
import { errorCodes, exampleFailures } from './error-table';

const descriptions: Readonly<Record<keyof Pet, readonly [description: string, example: string | number]>> = {
  id: ['Assigned by the service.', 1],
  name: [
    "The animal's name: any text of at most 1,000 characters (Unicode code points), without U+0000 and without lone surrogates. It is returned byte for byte.",
    'Rex',
  ],
  categoryId: [
    'Id of the category of the animal. It can be larger than 2^53, the limit of exact integers in JavaScript.',
    7,
  ],
  status: ['Availability of the animal.', 'available'],
};

const schemaOfField = (name: keyof Pet): object => {
  const [description, example] = descriptions[name];
  const rule: FieldRule = petRules[name];
  switch (rule.kind) {
    case 'text':
      // The pattern excludes only U+0000. A pattern against lone surrogates would reject every emoji in validators
      // without the `u` flag.
      return {
        type: 'string',
        description,
        maxLength: rule.maxLength,
        pattern: '^[^\\u0000]*$',
        examples: [example],
      };
    case 'int64':
      return { type: 'integer', format: 'int64', description, examples: [example] };
    case 'enumeration':
      return { $ref: '#/components/schemas/PetStatus' };
  }
};

const newPetNames = petFieldNames.filter((name) => name !== 'id');

const requiredOf = (names: ReadonlyArray<keyof Pet>) => names.filter((name) => petRules[name].required);

const propertiesOf = (names: ReadonlyArray<keyof Pet>) =>
  Object.fromEntries(names.map((name) => [name, schemaOfField(name)]));

/** Schemas of the OpenAPI document, which document.ts builds from the exports of this file. */
export const schemas = {
  PetStatus: {
    type: 'string',
    description: descriptions.status[0],
    enum: petRules.status.values,
  },
  NewPet: {
    type: 'object',
    description: 'An animal to add. Other fields are ignored.',
    required: requiredOf(newPetNames),
    properties: propertiesOf(newPetNames),
  },
  Pet: {
    type: 'object',
    description: 'An animal in the catalogue. `status` is missing if the animal was added without one.',
    required: requiredOf(petFieldNames),
    properties: propertiesOf(petFieldNames),
  },
  Pets: {
    type: 'array',
    description: 'Animals, sorted by ascending id.',
    maxItems: maxPageSize,
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
};

export const header = (description: string, example: string, required = false) => ({
  description,
  required,
  schema: { type: 'string' },
  example,
});

export const headers = {
  'X-Request-Id': header(
    "Id of the request in the log: the client's `X-Request-Id` if it has 1 to 128 letters, digits or `.:_~+/=-`, otherwise a new one.",
    '1f0c2a4e-5d1b-4a57-9a0e-2b1f3c5d7e90',
  ),
  Link: header(
    'With `rel="next"`, the URL of the next page, if more animals follow (RFC 8288). With `rel="successor-version"`, that of the operation to use instead of a deprecated one (RFC 5829). Both are relative to the request URL.',
    '<?limit=1&after=1>; rel="next"',
  ),
  Location: header('URL of the animal, relative to the request URL (RFC 9110, 10.2.2).', 'pets/1', true),
  'Idempotent-Replayed': header(
    '`true` if the request is a retry: an earlier request added the animal.',
    'true',
  ),
  Deprecation: header('Time from which the operation is deprecated (RFC 9745).', '@1795046400'),
  Sunset: header('Time of removal (RFC 8594).', 'Thu, 05 Dec 2030 00:00:00 GMT'),
  RateLimit: header(
    "Present if the service has a rate limit. `r` is the owner's remaining number of requests; `t` is the number of seconds until the whole quota is available again (draft-ietf-httpapi-ratelimit-headers-10).",
    '"default";r=9;t=60',
  ),
  'RateLimit-Policy': header(
    'Present if the service has a rate limit. An owner may send `q` requests in `w` seconds.',
    '"default";q=10;w=60',
  ),
  'WWW-Authenticate': header('How to authenticate (RFC 6750, section 3).', 'Bearer', true),
  Accept: header('The media type that is accepted (RFC 9110, 15.5.16).', 'application/json', true),
  'Retry-After': {
    ...header('Seconds to wait before the next attempt.', '1', true),
    schema: { type: 'integer', minimum: 0 },
    example: 1,
  },
};

export const headerReferences = (names: ReadonlyArray<string>) =>
  Object.fromEntries(
    ['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );

export const response = (
  description: string,
  headerNames: ReadonlyArray<string>,
  schema: string,
  examples: object,
) => ({
  description,
  headers: headerReferences(headerNames),
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, ...examples } },
});

export const successResponse = ({ description, headers, schema, example }: PetOperation['success']) =>
  response(description, [...headers, 'RateLimit', 'RateLimit-Policy'], schema, { example });

/** Describes the error responses of an operation, by status. Codes and headers come from an example of each failure. */
export const failureResponses = (kinds: ReadonlyArray<HttpFailure['_tag']>) =>
  pipe(
    kinds.map((kind) => ({ kind, ...describeFailure(exampleFailures[kind]) })),
    NEA.groupBy(({ status }) => String(status)),
    R.map((failures) => {
      const codes = new Set(failures.map(({ code }) => `\`${code}\``));
      const sent = new Set(failures.flatMap((failure) => Object.keys(failure.headers)));
      const examples = failures.map((failure) => [failure.kind, { value: errorBody(failure) }] as const);
      return response([...codes].join(' or '), [...sent], 'Error', {
        examples: Object.fromEntries(examples),
      });
    }),
  );
