import { expect } from 'chai';
import * as t from 'io-ts';
import { inspect } from 'node:util';
import source from '../../../adapters/http/openapi.json';
import type { WireResponse } from '../http/raw-connection';
import { decodeDocument, isDescribedHeader, parseExactJson, responseOf, validatorOf } from './document';

const document = decodeDocument(source);

const expectToMatch = (value: unknown, schema: object) => {
  const validate = validatorOf(document, schema);
  const isValid = validate(value);
  expect(isValid, `${inspect(value)} by ${inspect(schema)}: ${inspect(validate.errors)}`).to.equal(true);
};

const pathOf = (target: string): string => target.replace(/^https?:\/\/[^/?]*/i, '').replace(/\?.*$/s, '');

/** Finds the operation of a request in the document, if any. HEAD counts as GET. */
const findOperation = (method: string, target: string) => {
  const name = method === 'HEAD' ? 'get' : method.toLowerCase();
  const [, item] =
    Object.entries(document.paths).find(([path]) =>
      new RegExp(`^/v1${path.replace(/\{[^/}]+\}/g, '[^/]+')}$`).test(pathOf(target)),
    ) ?? [];
  return method === method.toUpperCase() ? item?.[name] : undefined;
};

/** Statuses that the HTTP server sends for any operation. The document lists them only in its table of errors. */
const statusesOfServer = [417, 431, 505];

/** Paths that the document does not describe: health checks, the document itself and pages. */
const otherPaths = /^(?:\/(?:livez|readyz|openapi\.json|docs\/?)?)?$/;

/** Fails unless the document declares this response to this request, with its headers and its body. */
const expectDeclaredAnswer = (
  request: Readonly<{ method: string; target: string }>,
  answer: Pick<CheckedAnswer, 'status' | 'headers' | 'header' | 'json'>,
) => {
  const { method, target } = request;
  const operation = findOperation(method, target);
  if (operation === undefined || statusesOfServer.includes(answer.status)) {
    if (answer.status < 400 && otherPaths.test(pathOf(target))) return;
    expect(answer.status, `${method} ${target} is no operation of the document`).to.be.within(400, 599);
    if (method !== 'HEAD') expectToMatch(answer.json, { $ref: '#/components/schemas/Error' });
    return;
  }
  const declared = responseOf(document, operation, String(answer.status));
  if (declared === undefined) throw new Error(`${operation.operationId} declares no ${answer.status}`);
  const declaredNames = Object.keys(declared.headers).map((name) => name.toLowerCase());
  const sentNames = answer.headers.map(([name]) => name).filter(isDescribedHeader);
  expect(declaredNames, `headers of ${operation.operationId} ${answer.status}`).to.include.members(sentNames);
  for (const name of Object.keys(declared.headers)) {
    const { required = false, schema = {} } = document.components.headers[name] ?? {};
    const value = answer.header(name);
    if (required) expect(value, `${name} with ${answer.status}`).not.to.equal(undefined);
    if (value !== undefined) expectToMatch(schema['type'] === 'integer' ? Number(value) : value, schema);
  }
  if (method === 'HEAD' || answer.json === undefined) return;
  expectToMatch(answer.json, declared.content?.['application/json'].schema ?? { not: {} });
};

const Integer = t.union([t.bigint, t.number]);
const Status = t.union([t.literal('available'), t.literal('pending'), t.literal('sold')]);
const Pet = t.intersection([
  t.type({ id: Integer, name: t.string, categoryId: Integer }),
  t.partial({ status: Status }),
]);
const ErrorBody = t.strict({ code: t.string, message: t.string, status: t.number });

export type AnsweredPet = Readonly<{
  id: bigint;
  name: string;
  categoryId: bigint;
  status?: t.TypeOf<typeof Status>;
}>;

/** Response that agrees with the OpenAPI document and with the rules for every response. */
export type CheckedAnswer = Readonly<{
  status: number;
  headers: WireResponse['headers'];
  /** Returns the value of a header. The name may be in any case. */
  header: (name: string) => string | undefined;
  text: string;
  json: unknown;
  pet: () => AnsweredPet;
  pets: () => ReadonlyArray<AnsweredPet>;
  /** `code` of the Error body; an empty string for other bodies. */
  code: string;
  message: string;
}>;

const readPet = (value: unknown): AnsweredPet => {
  if (!Pet.is(value)) throw new Error(`no Pet: ${JSON.stringify(value)}`);
  return { ...value, id: BigInt(value.id), categoryId: BigInt(value.categoryId) };
};

const readPets = (value: unknown): ReadonlyArray<AnsweredPet> => {
  if (!t.UnknownArray.is(value)) throw new Error(`no Pets: ${JSON.stringify(value)}`);
  return value.map(readPet);
};

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** True for redirects, pages and responses without content, which the OpenAPI document does not describe. */
const hasNoJson = ({ status, headers }: Pick<WireResponse, 'status' | 'headers'>): boolean =>
  status === 204 ||
  (status >= 300 && status < 400) ||
  headers.some(([name, value]) => name === 'content-type' && value.startsWith('text/html'));

const expectWhatEveryAnswerPromises = (answer: CheckedAnswer) => {
  const names = answer.headers.map(([name]) => name);
  expect(names, 'no header twice').to.deep.equal([...new Set(names)]);
  expect(answer.header('X-Request-Id'), 'X-Request-Id').to.match(/^[\x21-\x7e]+$/);
  expect(answer.header('Date'), 'Date (RFC 9110, section 6.6.1)').to.match(/ GMT$/);
  expect(answer.header('X-Content-Type-Options')).to.equal('nosniff');
  if (!hasNoJson(answer)) {
    expect(answer.header('Content-Type')).to.match(/^application\/json(; ?charset=utf-8)?$/i);
  }
  if (answer.status === 204) {
    expect(answer.text, 'no content (RFC 9110, section 15.3.5)').to.equal('');
    expect(answer.header('Content-Type')).to.equal(undefined);
    expect(answer.header('Content-Length'), 'RFC 9110, section 8.6').to.equal(undefined);
  }
  if (answer.status === 401)
    expect(answer.header('WWW-Authenticate'), 'WWW-Authenticate').to.match(/^Bearer\b/);
  if (answer.status === 405) expect(answer.header('Allow'), 'Allow').not.to.equal(undefined);
  if (answer.status === 503) expect(answer.header('Retry-After'), 'Retry-After').to.match(/^[0-9]+$/);
};

const expectErrorBody = ({ json, status, message, text }: CheckedAnswer) => {
  expect(json).to.have.all.keys('code', 'message', 'status');
  expect(json).to.have.property('status', status);
  expect(message, 'message').not.to.equal('');
  expect(text, 'no stack').not.to.match(/node_modules|\\n\s+at /);
};

/** Checks a response against the OpenAPI document and the rules for every response, and parses it for tests. */
export const checkAnswer = (
  request: Readonly<{ method: string; target: string }>,
  response: WireResponse,
): CheckedAnswer => {
  const text = utf8.decode(response.body);
  const json = request.method === 'HEAD' || hasNoJson(response) ? undefined : parseExactJson(text);
  const error = ErrorBody.is(json) ? json : { code: '', message: '' };
  const answer: CheckedAnswer = {
    status: response.status,
    headers: response.headers,
    header: (name) => response.headers.find(([given]) => given === name.toLowerCase())?.[1],
    text,
    json,
    pet: () => readPet(json),
    pets: () => readPets(json),
    code: error.code,
    message: error.message,
  };
  expectWhatEveryAnswerPromises(answer);
  if (answer.status >= 400 && request.method !== 'HEAD') expectErrorBody(answer);
  expectDeclaredAnswer(request, answer);
  return answer;
};
