import * as t from 'io-ts';
import { decodeOrThrow } from '../../../core';

/** Returns an OpenAPI document with every reference replaced by its target, except in schemas. */
export const dereferenced = (document: unknown): unknown => {
  const resolve = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(resolve);
    if (!t.UnknownRecord.is(part)) return part;
    const { $ref } = part;
    if (typeof $ref === 'string' && !$ref.startsWith('#/components/schemas/')) {
      const steps = $ref.slice('#/'.length).split('/');
      const target = steps.reduce((at, name) => (t.UnknownRecord.is(at) ? at[name] : undefined), document);
      if (target === undefined) throw new Error(`nothing is at ${$ref}`);
      return resolve(target);
    }
    return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, resolve(member)]));
  };
  return resolve(document);
};

/**
 * Returns the path prefix of the operations. The address of a server is relative to that of the document (OpenAPI 3.1,
 * section 4.8.5).
 */
export const serverPath = (server: string): string =>
  new URL(server, 'http://localhost/openapi.json').pathname.replace(/\/$/, '');

const Header = t.type({ required: t.boolean, example: t.unknown, schema: t.partial({ const: t.string }) });

const Media = t.partial({ example: t.unknown, examples: t.record(t.string, t.type({ value: t.unknown })) });

const Operation = t.intersection([
  t.type({
    operationId: t.string,
    responses: t.record(
      t.string,
      t.intersection([
        t.type({ headers: t.record(t.string, Header) }),
        t.partial({ content: t.partial({ 'application/json': Media }) }),
      ]),
    ),
  }),
  t.partial({
    parameters: t.array(t.intersection([t.type({ name: t.string, in: t.string }), Media])),
    requestBody: t.type({ content: t.type({ 'application/json': t.type({ example: t.unknown }) }) }),
  }),
]);
type Operation = t.TypeOf<typeof Operation>;

const Document = t.type({
  servers: t.array(t.type({ url: t.string })),
  paths: t.record(t.string, t.record(t.string, t.unknown)),
});

/** A request made of the examples in an OpenAPI document. */
export interface DocumentedRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

export interface DocumentedAnswer {
  readonly operationId: string;
  readonly request: DocumentedRequest;
  readonly status: number;
  /** Tag of the failure, or `Success`. */
  readonly kind: string;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, t.TypeOf<typeof Header>>>;
}

const requestOf = (
  method: string,
  template: string,
  base: string,
  { parameters = [], requestBody }: Operation,
): DocumentedRequest => {
  const path = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((filled, { name, example }) => filled.replace(`{${name}}`, String(example)), template);
  const body = requestBody && JSON.stringify(requestBody.content['application/json'].example);
  return { method: method.toUpperCase(), path: base + path, body: body ?? '' };
};

const answersOf = (request: DocumentedRequest, { operationId, responses }: Operation) =>
  Object.entries(responses).flatMap(([status, { headers, content }]): ReadonlyArray<DocumentedAnswer> => {
    const json = content?.['application/json'];
    if (json === undefined && !status.startsWith('2')) return [];
    const { example, examples } = json ?? {};
    const bodies =
      examples === undefined
        ? [['Success', example] as const]
        : Object.entries(examples).map(([kind, { value }]) => [kind, value] as const);
    const common = { operationId, request, status: Number(status), headers };
    return bodies.map(([kind, body]) => ({ ...common, kind, body }));
  });

/**
 * Returns every success and every JSON failure with an example in an OpenAPI document, with the request that its
 * examples make.
 */
export const documentedAnswers = (document: unknown): ReadonlyArray<DocumentedAnswer> => {
  const { servers, paths } = decodeOrThrow(Document, dereferenced(document));
  const base = serverPath(servers[0]?.url ?? '');
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) =>
      Operation.is(operation) ? answersOf(requestOf(method, path, base, operation), operation) : [],
    ),
  );
};
