import { pipe } from 'fp-ts/function';
import * as NEA from 'fp-ts/NonEmptyArray';
import * as R from 'fp-ts/Record';
import { largestPageSize, NewPet, newPetFields, Pet, type PetField, petFields } from '../../../core';
import { describeFailure, errorBodyText, type HttpFailure } from '../errors';
import { errorCodes, exampleFailures } from './error-table';

type Kind = HttpFailure['_tag'];
type References = Readonly<Record<string, object>>;

const exampleOf = ({ example }: PetField) => (typeof example === 'bigint' ? Number(example) : example);

const schemaOfField = (field: PetField): object => {
  const { description } = field;
  const examples = [exampleOf(field)];
  switch (field.kind) {
    case 'text':
      // The pattern excludes only U+0000. A pattern against lone surrogates would reject every emoji in validators
      // without the `u` flag.
      return { type: 'string', description, maxLength: field.maxLength, pattern: '^[^\\u0000]*$', examples };
    case 'int64':
      return { type: 'integer', format: 'int64', description, examples };
    case 'enumeration':
      return { $ref: `#/components/schemas/${field.codec.name}` };
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

/** Schemas of the OpenAPI documents. documents.ts builds the documents from the exports of this file. */
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
    maxItems: largestPageSize,
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

const header = (description: string, example: string, required = true) => ({
  description,
  required,
  schema: { type: 'string' },
  example,
});

const headerComponents = {
  'X-Request-Id': header(
    "Id of the request in the log: the client's `X-Request-Id` if it has 1 to 128 letters, digits or `.:_~+/=-`, otherwise a new one.",
    '1f0c2a4e-5d1b-4a57-9a0e-2b1f3c5d7e90',
    false,
  ),
  Link: header(
    'Present if more animals follow: URL of the next page, relative to the request URL, with `rel="next"` (RFC 8288).',
    '<?limit=1&after=1>; rel="next"',
    false,
  ),
  Location: header('URL of the animal, relative to the request URL (RFC 9110, 10.2.2).', 'pets/1'),
  'Idempotent-Replayed': {
    ...header('Present if the request is a retry: an earlier request added the animal.', 'true', false),
    schema: { const: 'true' },
  },
  Deprecation: header('Time from which the operation is deprecated (RFC 9745).', '@1795046400', false),
  Sunset: header('Time of removal (RFC 8594).', 'Thu, 05 Dec 2030 00:00:00 GMT', false),
  Successor: header(
    'URL of the operation to use instead, relative to the request URL (RFC 5829).',
    '<../pets>; rel="successor-version"',
    false,
  ),
  RateLimit: header(
    "Present if the service has a rate limit. `r` is the owner's remaining number of requests; `t` is the number of seconds until the whole quota is available again (draft-ietf-httpapi-ratelimit-headers-10).",
    '"default";r=9;t=60',
    false,
  ),
  'RateLimit-Policy': header(
    'Present if the service has a rate limit. An owner may send `q` requests in `w` seconds.',
    '"default";q=10;w=60',
    false,
  ),
  'WWW-Authenticate': header('How to authenticate (RFC 6750, section 3).', 'Bearer'),
  Accept: header('The media type that is accepted (RFC 9110, 15.5.16).', 'application/json'),
  ETag: header(
    'Identifies this version of the document. If a request sends it in `If-None-Match`, the response is 304 until the document changes.',
    '"X0tLTpR4qJ2Zx8wq6oI4l1cTzqk3b3mI1cCwVfTzqGE"',
  ),
  'Retry-After': {
    ...header('Seconds to wait before the next attempt.', '1'),
    schema: { type: 'integer', minimum: 0 },
    example: 1,
  },
};

export const headerReferences = (names: ReadonlyArray<string>): References =>
  Object.fromEntries(
    names.map((name) => [name === 'Successor' ? 'Link' : name, { $ref: `#/components/headers/${name}` }]),
  );

export const quotaHeaderNames = ['RateLimit', 'RateLimit-Policy'];
export const deprecationHeaderNames = ['Deprecation', 'Sunset', 'Successor'];

const schemaReference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

interface Success {
  readonly description: string;
  readonly schema: string;
  readonly example?: unknown;
}

export const successResponse = (
  { description, schema, example }: Success,
  headerNames: ReadonlyArray<string>,
) => ({
  description,
  headers: headerReferences(['X-Request-Id', ...headerNames]),
  content: {
    'application/json': { schema: schemaReference(schema), ...(example === undefined ? {} : { example }) },
  },
});

const failureHeaderNames = ['WWW-Authenticate', 'Retry-After', 'Accept'];

export const failureResponses = (kinds: ReadonlyArray<Kind>, headerNames: ReadonlyArray<string> = []) =>
  pipe(
    kinds.map((kind) => ({ kind, ...describeFailure(exampleFailures[kind]) })),
    NEA.groupBy(({ status }) => String(status)),
    R.map((failures) => {
      const sent = new Set(failures.flatMap(({ headers }) => Object.keys(headers)));
      return {
        description: [...new Set(failures.map(({ code }) => `\`${code}\``))].join(' or '),
        headers: headerReferences([
          'X-Request-Id',
          ...headerNames,
          ...failureHeaderNames.filter((name) => sent.has(name)),
        ]),
        content: {
          'application/json': {
            schema: schemaReference('Error'),
            examples: Object.fromEntries(
              failures.map(({ kind }) => [kind, { $ref: `#/components/examples/${kind}` }]),
            ),
          },
        },
      };
    }),
  );

type Components = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const allComponents: Components = {
  schemas,
  headers: headerComponents,
  examples: R.map((failure: HttpFailure) => {
    const value: unknown = JSON.parse(errorBodyText(describeFailure(failure)));
    return { value };
  })(exampleFailures),
};

const namesIn = (part: unknown): ReadonlyArray<string> =>
  [...JSON.stringify(part).matchAll(/"#\/components\/([\w/-]+)"/g)].flatMap(([, name = '']) => name);

export const componentsOf = (part: unknown): Components => {
  const names = new Set(namesIn(part));
  for (const name of names) {
    const [kind = '', member = ''] = name.split('/');
    namesIn(allComponents[kind]?.[member] ?? null).forEach((found) => names.add(found));
  }
  return Object.fromEntries(
    Object.entries(allComponents).map(([kind, members]) => [
      kind,
      Object.fromEntries(Object.entries(members).filter(([member]) => names.has(`${kind}/${member}`))),
    ]),
  );
};
