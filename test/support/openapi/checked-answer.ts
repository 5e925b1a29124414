import { expect } from 'chai';
import * as t from 'io-ts';
import { parse } from 'lossless-json';
import { gunzipSync } from 'node:zlib';
import type { WireResponse } from '../http/raw-connection';
import { expectDeclaredAnswer } from './openapi-response-check';

const parseNumber = (digits: string): number | bigint => {
  const value = Number(digits);
  return /^-?[0-9]+$/.test(digits) && !Number.isSafeInteger(value) ? BigInt(digits) : value;
};

/** Parses JSON to the digit: an integer past 2^53 becomes a bigint, every other number a number. */
export const parseExactJson = (text: string): unknown => parse(text, undefined, { parseNumber });

const Integer = t.union([t.bigint, t.number]);
const Status = t.union([t.literal('available'), t.literal('pending'), t.literal('sold')]);
const Pet = t.intersection([
  t.type({ id: Integer, name: t.string, categoryId: Integer }),
  t.partial({ status: Status }),
]);
const ErrorBody = t.strict({ code: t.string, message: t.string, status: t.number });

/** An animal in an answer. */
export type AnsweredPet = Readonly<{
  id: bigint;
  name: string;
  categoryId: bigint;
  status?: t.TypeOf<typeof Status>;
}>;

/** An answer that agreed with the OpenAPI document and with what every answer promises. */
export type CheckedAnswer = Readonly<{
  status: number;
  headers: WireResponse['headers'];
  /** By its name in any case. */
  header: (name: string) => string | undefined;
  text: string;
  json: unknown;
  pet: () => AnsweredPet;
  pets: () => ReadonlyArray<AnsweredPet>;
  /** `code` of an error's body; '' where there is none. */
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

/** The representation, taken out of its content coding. */
const decoded = ({ headers, body }: WireResponse): Uint8Array =>
  body.length > 0 && headers.some(([name, value]) => name === 'content-encoding' && value === 'gzip')
    ? gunzipSync(body)
    : body;

/** True for redirects and pages, which no OpenAPI document describes. */
const isForReaders = ({ status, headers }: Pick<WireResponse, 'status' | 'headers'>): boolean =>
  (status >= 300 && status < 400) ||
  headers.some(([name, value]) => name === 'content-type' && value.startsWith('text/html'));

const expectWhatEveryAnswerPromises = (answer: CheckedAnswer) => {
  const names = answer.headers.map(([name]) => name);
  expect(names, 'no header twice').to.deep.equal([...new Set(names)]);
  expect(answer.header('X-Request-Id'), 'X-Request-Id').to.match(/^[\x21-\x7e]+$/);
  expect(answer.header('Date'), 'Date (RFC 9110, section 6.6.1)').to.match(/ GMT$/);
  expect(answer.header('X-Content-Type-Options')).to.equal('nosniff');
  if (!isForReaders(answer)) {
    expect(answer.header('Content-Type')).to.match(/^application\/json(; ?charset=utf-8)?$/i);
  }
  if (answer.status === 401) expect(answer.header('WWW-Authenticate')).to.match(/^Bearer\b/);
  if (answer.status === 405) expect(answer.header('Allow'), 'Allow').not.to.equal(undefined);
  if (answer.status === 503) expect(answer.header('Retry-After')).to.match(/^[0-9]+$/);
};

const expectErrorBody = ({ json, status, message, text }: CheckedAnswer) => {
  expect(json).to.have.all.keys('code', 'message', 'status');
  expect(json).to.have.property('status', status);
  expect(message).to.have.length.above(0);
  expect(text, 'no stack').not.to.match(/node_modules|\\n\s+at /);
};

/** Checks an answer to a request against all that is promised of any answer, and opens it for a test. */
export const checkAnswer = (
  request: Readonly<{ method: string; target: string }>,
  response: WireResponse,
): CheckedAnswer => {
  const text = utf8.decode(decoded(response));
  const json = request.method === 'HEAD' || isForReaders(response) ? undefined : parseExactJson(text);
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
