import * as t from 'io-ts';
import {
  componentOf,
  decodeDocument,
  type OpenApiDocument,
  type OpenApiOperation,
  parseExactJson,
  responseOf,
  validatorOf,
} from './document';
import { abbreviate, parameterTexts, samples } from './samples';

type Schema = OpenApiDocument['components']['schemas'][string];

const parameterValue = (type: unknown, text: string): unknown =>
  type === 'integer' && /^-?[0-9]+$/.test(text) ? parseExactJson(String(BigInt(text))) : text;

const typeOf = (document: OpenApiDocument, schema: Schema): unknown =>
  t.type({ $ref: t.string }).is(schema)
    ? document.components.schemas[componentOf(schema, 'schemas')]?.['type']
    : schema['type'];

const parameterFacts = (document: OpenApiDocument, { operationId, parameters }: OpenApiOperation) =>
  parameters.flatMap(({ name, in: place, required = false, schema, example }) => {
    const type = typeOf(document, schema);
    const validate = validatorOf(document, schema);
    const accepted = parameterTexts(place).filter((text) => validate(parameterValue(type, text)));
    return [
      `${operationId} takes the ${required ? 'required' : 'optional'} ${place} ${name}, as ${String(type)}`,
      ...accepted.map((text) => `${operationId} accepts ${name} ${abbreviate(text)}`),
      ...('default' in schema ? [`${operationId} uses ${name} ${String(schema['default'])} by default`] : []),
      ...(example === undefined ? [] : [`${operationId} finds ${name} ${String(example)}`]),
    ];
  });

const bodyFacts = ({ operationId, requestBody }: OpenApiOperation): ReadonlyArray<string> => [
  ...(requestBody?.required === true ? [`${operationId} needs a body`] : []),
  ...Object.entries(requestBody?.content ?? {}).map(([type, { schema, example }]) => {
    const name = componentOf(schema, 'schemas');
    return `${operationId} takes a ${name} as ${type}, such as ${JSON.stringify(example)}`;
  }),
];

const codesIn = (description: string): ReadonlyArray<string> =>
  Array.from(description.matchAll(/`([a-z_]+)`/g), ([, code = '']) => code);

const responseFacts = (document: OpenApiDocument, operation: OpenApiOperation): ReadonlyArray<string> =>
  Object.keys(operation.responses).flatMap((status) => {
    const response = responseOf(document, operation, status);
    if (response === undefined) throw new Error(`${operation.operationId} has no response ${status}`);
    const { schema, example, examples = {} } = response.content?.['application/json'] ?? {};
    const of = `${operation.operationId} ${status}`;
    return [
      `${of} has ${schema === undefined ? 'no body' : `a body of ${componentOf(schema, 'schemas')}`}`,
      ...Object.entries(response.headers).map(([name, header]) => {
        if (componentOf(header, 'headers') !== name) throw new Error(`${of} has another header as ${name}`);
        return `${of} has ${name.toLowerCase()}`;
      }),
      ...(Number(status) < 400 ? [] : codesIn(response.description).map((code) => `${of} has code ${code}`)),
      ...(example === undefined ? [] : [`${of} is ${JSON.stringify(example)}`]),
      ...Object.entries(examples).map(([name, { value }]) => `${of} ${name} is ${JSON.stringify(value)}`),
    ];
  });

const operationFacts = (document: OpenApiDocument): ReadonlyArray<string> =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      const { operationId, deprecated = false, 'x-sunset': sunset } = operation;
      const route = `${method.toUpperCase()} ${document.servers.map(({ url }) => url.replace('.', '')).join()}${path}`;
      const schemes = document.security.flatMap(Object.keys).map((name) => {
        const { type, scheme } = document.components.securitySchemes[name] ?? {};
        return `${operationId} needs a key by ${String(type)} ${String(scheme)}`;
      });
      return [
        `${operationId} is ${route}`,
        ...schemes,
        ...(deprecated ? [`${operationId} is deprecated`] : []),
        ...(sunset === undefined ? [] : [`${operationId} ends on ${sunset}`]),
        ...parameterFacts(document, operation),
        ...bodyFacts(operation),
        ...responseFacts(document, operation),
      ];
    }),
  );

const headerFacts = ({ components }: OpenApiDocument): ReadonlyArray<string> =>
  Object.entries(components.headers).map(([name, { required = false, schema, example }]) => {
    const minimum = schema['minimum'] === undefined ? '' : ` from ${Number(schema['minimum'])}`;
    return `${name.toLowerCase()} is sent ${required ? 'always' : 'sometimes'}, as ${String(schema['type'])}${minimum}, such as ${String(example)}`;
  });

const Properties = t.record(t.string, t.partial({ example: t.unknown }));

const schemaFacts = (document: OpenApiDocument): ReadonlyArray<string> =>
  Object.entries(document.components.schemas).flatMap(([name, schema]) => {
    const validate = validatorOf(document, { $ref: `#/components/schemas/${name}` });
    const properties = Properties.is(schema['properties']) ? schema['properties'] : {};
    return [
      `${name} is of type ${String(schema['type'])}`,
      ...(samples[name] ?? [])
        .filter(({ value }) => validate(value))
        .map(({ text }) => `${name} accepts ${text}`),
      ...Object.entries(properties).flatMap(([property, { example }]) =>
        example === undefined ? [] : [`${name} has a ${property} such as ${JSON.stringify(example)}`],
      ),
    ];
  });

/** Returns a fact for each row of the table of error codes. */
const tableFacts = ({ info }: OpenApiDocument): ReadonlyArray<string> =>
  Array.from(
    info.description.matchAll(/^\| `([a-z_]+)` \| ([0-9]{3}) \| (?:yes|no)\b[^|]*\| (.*) \|$/gm),
    ([, code = '', status = '', messages = '']) => `the table has ${code} ${status} ${messages}`,
  );

/**
 * Returns all that an OpenAPI document says about the program, without its descriptions, as one sentence for each fact.
 */
export const factsOfDocument = (source: unknown): ReadonlySet<string> => {
  const document = decodeDocument(source);
  const facts = [operationFacts, headerFacts, schemaFacts, tableFacts].flatMap((read) => read(document));
  return new Set(facts);
};
