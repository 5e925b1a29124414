import { Ajv2020 } from 'ajv/dist/2020';
import { expect } from 'chai';
import * as t from 'io-ts';
import { isRight } from 'fp-ts/Either';
import { openApiDocument, openApiServiceDocument } from '../../../adapters/http';
import { dereferenced, serverPath } from './document';

const Response = t.intersection([
  t.type({ headers: t.record(t.string, t.type({ required: t.boolean, schema: t.UnknownRecord })) }),
  t.partial({ content: t.partial({ 'application/json': t.UnknownRecord }) }),
]);
const Operation = t.type({ responses: t.record(t.string, Response) });
const Document = t.intersection([
  t.type({
    servers: t.array(t.type({ url: t.string })),
    paths: t.record(t.string, t.UnknownRecord),
  }),
  t.UnknownRecord,
]);

const decode = <A>(codec: t.Type<A, unknown>, value: unknown): A => {
  const decoded = codec.decode(value);
  if (isRight(decoded)) return decoded.right;
  throw new Error(`the OpenAPI document is not what this check reads: ${JSON.stringify(value)}`);
};

const withInt64Keyword = (_name: string, value: unknown): unknown =>
  t.UnknownRecord.is(value) && value['type'] === 'integer' && value['format'] === 'int64'
    ? { int64: true }
    : value;

const documents = Object.entries({ openApiDocument, openApiServiceDocument }).map(([name, document]) => ({
  name,
  document: decode(Document, dereferenced(JSON.parse(JSON.stringify(document, withInt64Keyword)))),
}));
const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addKeyword({
  keyword: 'int64',
  validate: (_: unknown, value: unknown) =>
    typeof value === 'bigint' ? BigInt.asIntN(64, value) === value : Number.isSafeInteger(value),
});
documents.forEach(({ name, document }) => ajv.addSchema(document, name));

const pointer = ([document = '', ...steps]: ReadonlyArray<string>) =>
  [
    `${document}#`,
    ...steps.map((step) => encodeURIComponent(step.replace(/~/g, '~0').replace(/\//g, '~1'))),
  ].join('/');

const expectToMatch = (value: unknown, ...schema: ReadonlyArray<string>) => {
  const validate = ajv.getSchema(pointer(schema));
  if (validate === undefined) throw new Error(`no schema at ${schema.join('/')}`);
  expect(validate(value), `${ajv.errorsText(validate.errors)} at ${schema.join('/')}`).to.equal(true);
};

const templates = documents.flatMap(({ name, document: { servers, paths } }) =>
  Object.entries(paths).map(([template, item]) => ({
    name,
    template,
    item,
    matcher: new RegExp(
      `^${serverPath(servers[0]?.url ?? '')}${template.replace(/\./g, '\\.').replace(/\{[^/}]+\}/g, '[^/]+')}$`,
    ),
  })),
);

/** The operation that an OpenAPI document has for a request, if any; HEAD is answered as GET. */
const findOperation = (method: string, target: string) => {
  const path = target.replace(/^https?:\/\/[^/?]*/i, '').replace(/\?.*$/s, '');
  const name = method === 'HEAD' ? 'get' : method.toLowerCase();
  const found = templates.find(({ matcher }) => matcher.test(path));
  return found !== undefined && method === method.toUpperCase() && name in found.item
    ? { steps: [found.name, 'paths', found.template, name], ...decode(Operation, found.item[name]) }
    : undefined;
};

/** Fails unless a document declares this answer to this request, its headers and its body. */
export const expectDeclaredAnswer = (
  request: Readonly<{ method: string; target: string }>,
  answer: Readonly<{ status: number; header: (name: string) => string | undefined; json: unknown }>,
) => {
  const operation = findOperation(request.method, request.target);
  if (operation === undefined) {
    // The start page, and the redirect to the reference.
    if (answer.status === 308 || answer.header('Content-Type')?.startsWith('text/html') === true) return;
    expect(answer.status, `${request.method} ${request.target} is no operation of a document`).to.be.within(
      400,
      599,
    );
    if (request.method !== 'HEAD')
      expectToMatch(answer.json, 'openApiDocument', 'components', 'schemas', 'Error');
    return;
  }
  const declared = operation.responses[String(answer.status)];
  if (declared === undefined)
    throw new Error(`${answer.status} is not declared: ${operation.steps.join('/')}`);
  const response = [...operation.steps, 'responses', String(answer.status)];
  Object.entries(declared.headers).forEach(([name, { required, schema }]) => {
    const value = answer.header(name);
    if (required) expect(value, `${name}, required with ${answer.status}`).not.to.equal(undefined);
    if (value === undefined) return;
    expectToMatch(
      schema['type'] === 'integer' ? Number(value) : value,
      ...response,
      'headers',
      name,
      'schema',
    );
  });
  if (request.method !== 'HEAD' && declared.content !== undefined)
    expectToMatch(answer.json, ...response, 'content', 'application/json', 'schema');
};
