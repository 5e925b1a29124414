import { exposedHeaders } from '../../../adapters/http/operations/headers';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import * as t from 'io-ts';
import { parse } from 'lossless-json';
import { decodeOrThrow } from '../../../core';

const Reference = t.type({ $ref: t.string });
const Schema = t.UnknownRecord;
const Header = t.intersection([
  t.type({ schema: Schema, example: t.union([t.string, t.number]) }),
  t.partial({ required: t.boolean }),
]);
/** Response, without `content` if it has no body, such as a 204. */
const Response = t.intersection([
  t.type({ description: t.string, headers: t.record(t.string, Reference) }),
  t.partial({
    content: t.type({
      'application/json': t.intersection([
        t.type({ schema: Reference }),
        t.partial({ example: t.unknown, examples: t.record(t.string, t.type({ value: t.unknown })) }),
      ]),
    }),
  }),
]);
const Parameter = t.intersection([
  t.type({ name: t.string, in: t.string, schema: Schema }),
  t.partial({ required: t.boolean, example: t.union([t.string, t.number]) }),
]);
const Body = t.type({
  required: t.boolean,
  content: t.record(t.string, t.type({ schema: Reference, example: t.unknown })),
});
const Operation = t.intersection([
  t.type({
    operationId: t.string,
    parameters: t.array(Parameter),
    responses: t.record(t.string, t.union([Reference, Response])),
  }),
  t.partial({ deprecated: t.boolean, 'x-sunset': t.string, requestBody: Body }),
]);
const Document = t.intersection([
  t.type({
    info: t.type({ description: t.string }),
    servers: t.array(t.type({ url: t.string })),
    security: t.array(t.record(t.string, t.array(t.string))),
    paths: t.record(t.string, t.record(t.string, Operation)),
    components: t.type({
      schemas: t.record(t.string, Schema),
      responses: t.record(t.string, Response),
      headers: t.record(t.string, Header),
      securitySchemes: t.record(t.string, t.type({ type: t.string, scheme: t.string })),
    }),
  }),
  t.UnknownRecord,
]);

export type OpenApiDocument = t.TypeOf<typeof Document>;
export type OpenApiOperation = t.TypeOf<typeof Operation>;

/** Decodes an OpenAPI document. Throws a TypeError that names what is missing. */
export const decodeDocument = (document: unknown): OpenApiDocument => decodeOrThrow(Document, document);

/** Returns the name of the component to which a reference leads. */
export const componentOf = ({ $ref }: t.TypeOf<typeof Reference>, kind: string): string => {
  const prefix = `#/components/${kind}/`;
  if (!$ref.startsWith(prefix)) throw new Error(`${$ref} is not in ${prefix}`);
  return $ref.slice(prefix.length);
};

/** Returns the response of an operation with this status, if the document declares one. */
export const responseOf = (
  { components }: OpenApiDocument,
  { responses }: OpenApiOperation,
  status: string,
): t.TypeOf<typeof Response> | undefined => {
  const declared = responses[status];
  return Reference.is(declared) ? components.responses[componentOf(declared, 'responses')] : declared;
};

const described = new Set<string>(exposedHeaders.map((name) => name.toLowerCase()));

/** True for a header of the API. The document leaves out headers for browsers, caches and proxies. */
export const isDescribedHeader = (lowerCaseName: string): boolean => described.has(lowerCaseName);

const withInt64Keyword = (_name: string, value: unknown): unknown =>
  t.UnknownRecord.is(value) && value['type'] === 'integer' && value['format'] === 'int64'
    ? { int64: true }
    : value;

const compilerOf = (schemas: string) => {
  const ajv = new Ajv2020({ strict: false, meta: false, validateSchema: false, validateFormats: false });
  ajv.addKeyword({
    keyword: 'int64',
    validate: (_: unknown, value: unknown) =>
      typeof value === 'bigint' ? BigInt.asIntN(64, value) === value : Number.isSafeInteger(value),
  });
  const parseSchema = (json: string): object =>
    decodeOrThrow(t.UnknownRecord, JSON.parse(json, withInt64Keyword));
  ajv.addSchema(parseSchema(`{"$id":"openapi","components":{"schemas":${schemas}}}`));
  const compiled = new Map<string, ValidateFunction>();
  return (schema: object): ValidateFunction => {
    const json = JSON.stringify(schema).replaceAll('"#/', '"openapi#/');
    const validate = compiled.get(json) ?? ajv.compile(parseSchema(json));
    compiled.set(json, validate);
    return validate;
  };
};

let latest = { schemas: '', compile: compilerOf('{}') };

/**
 * Makes a function that validates values, as `parseExactJson` returns them, against a schema of a document. Keeps the
 * compiled schemas of the document that was used last.
 */
export const validatorOf = ({ components }: OpenApiDocument, schema: object): ValidateFunction => {
  const schemas = JSON.stringify(components.schemas);
  if (latest.schemas !== schemas) latest = { schemas, compile: compilerOf(schemas) };
  return latest.compile(schema);
};

const parseNumber = (digits: string): number | bigint => {
  const value = Number(digits);
  return /^-?[0-9]+$/.test(digits) && !Number.isSafeInteger(value) ? BigInt(digits) : value;
};

/** Parses JSON. An integer past 2^53 becomes a bigint, and every other number a number. */
export const parseExactJson = (text: string): unknown => parse(text, undefined, { parseNumber });
