import * as fc from 'fast-check';
import { anyCharacter } from '../../support/random';

/** A request with correct framing (Content-Length or chunks) and arbitrary parts. Its bytes are Latin-1. */
export interface FramedRequest {
  readonly method: string;
  readonly target: string;
  readonly bytes: string;
}

export const fuzzKey = 'the-key-of-the-fuzzed-requests';

const noNullPrototype = true;

const wordsOf = (text: string): ReadonlyArray<string> => text.split(' ');

const oneOf = (...words: ReadonlyArray<string>) => fc.constantFrom(...words);

const weighted = (...choices: ReadonlyArray<readonly [weight: number, arbitrary: fc.Arbitrary<string>]>) =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));

const latin1 = (maxLength: number) =>
  fc.uint8Array({ maxLength }).map((array) => Buffer.from(array).toString('latin1'));

const utf8 = (text: string): string => Buffer.from(text).toString('latin1');

const headerValue = weighted(
  [4, latin1(60).map((text) => text.replace(/\p{Cc}/gu, '\t'))],
  [4, fc.stringMatching(/^[\x20-\x7e]{0,60}$/)],
  [
    2,
    oneOf(
      ...['100-continue', '"a key"', 'application/json; charset=UTF-8', 'gzip', 'identity', '*', 'W/"x"'],
      `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
    ),
  ],
  [1, oneOf('"', '\\', ' ', ',', ';', 'a=', '-', '0', 'f', '%').map((text) => text.repeat(3_000))],
);

// Leaves out HEAD: the service answers a malformed HEAD like a GET if it follows the body of an earlier request.
const methods = weighted(
  [5, oneOf('GET')],
  [5, oneOf('POST')],
  [3, oneOf(...wordsOf('PUT DELETE PATCH OPTIONS TRACE PROPFIND QUERY PURGE'))],
);

const escaped = fc.stringMatching(/^([a-z0-9=&?/.;:[\]@\\~+'"<>{}|^`-]|%[0-9a-fA-F]{2}){0,40}$/);
const rawText = fc.stringMatching(/^[!"$-~]{0,30}$/);

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

const parameterValue = fc.oneof(
  escaped,
  rawText,
  fc.integer({ min: -2, max: 120 }).map(String),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  oneOf('available', 'pending', 'sold', '', 'null', '1e1', '+5', '%20', '__proto__'),
);

const query = fc
  .array(
    fc
      .tuple(oneOf('limit', 'after', 'status', '__proto__', 'x'), parameterValue)
      .map((both) => both.join('=')),
    { maxLength: 4 },
  )
  .map((parameters) => (parameters.length === 0 ? '' : `?${parameters.join('&')}`));

const paths = weighted(
  [6, oneOf('/v1/pets')],
  [2, fc.oneof(int64, fc.bigInt({ min: 1n, max: 9n })).map((id) => `/v1/pets/${id}`)],
  [2, oneOf(...wordsOf('/livez /readyz /openapi.json /docs /docs/theme.css /metrics'))],
  [
    3,
    fc
      .tuple(
        oneOf('/', '/v1/', '/v1/pets/', '//', '/docs/', 'http://', 'http://a', '*', ''),
        fc.oneof(escaped, rawText),
      )
      .map((parts) => parts.join('') || '/'),
  ],
);

const headerNames = wordsOf(
  `X-Request-Id Idempotency-Key Content-Type Content-Encoding Accept Cookie Origin X-Forwarded-For Forwarded \
Traceparent If-None-Match Range TE Accept-Encoding Via X-HTTP-Method-Override Expect Authorization \
Proxy-Authorization __proto__ constructor`,
);

const headers = fc.dictionary(
  weighted([9, oneOf(...headerNames)], [1, fc.stringMatching(/^[A-Za-z-]{1,20}$/)]),
  headerValue,
  { maxKeys: 3, noNullPrototype },
);

/** Bodies of 16 kB, the maximum that is parsed. Each would cost a careless parser much work. */
const hardBodies = [
  ...['[', '{"a":', '"', '\\', '9', '"\\', '[[],', ' ', '{', '-', '"a":1,', '\u00e9', '0,', '"\\u0000'],
].map((text) => text.repeat(Math.floor(16_000 / Buffer.byteLength(text))));

const bodies = weighted(
  [
    4,
    fc
      .record(
        {
          name: fc.string({ unit: anyCharacter, maxLength: 40 }),
          categoryId: fc.oneof(fc.maxSafeInteger(), fc.jsonValue()),
          status: fc.constantFrom('available', 'pending', 'sold', null, 'gone'),
        },
        { requiredKeys: ['name', 'categoryId'], noNullPrototype },
      )
      .map((pet) => JSON.stringify(pet)),
  ],
  [2, fc.json()],
  [2, latin1(200)],
  [
    2,
    fc
      .tuple(oneOf('__proto__', 'constructor', 'name', 'categoryId', 'status'), fc.jsonValue())
      .map(([name, value]) => `{"name":"Rex","categoryId":7,"${name}":${JSON.stringify(value)}}`),
  ],
);

const chunksOf = (body: string, size: number): string => {
  let chunks = '';
  for (let at = 0; at < body.length; at += size) {
    const chunk = body.slice(at, at + size);
    chunks += `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
  }
  return `${chunks}0\r\n\r\n`;
};

const linesOf = (given: Readonly<Record<string, string>>): string =>
  Object.entries(given)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');

interface Parts {
  readonly method: string;
  readonly target: string;
  readonly key: string;
  readonly given: Readonly<Record<string, string>>;
  readonly body: string;
  /** Size of the chunks in which the body is sent; 0 for a body with Content-Length. */
  readonly chunkSize: number;
}

const framed = ({ method, target, key, given, body, chunkSize }: Parts): FramedRequest => {
  const names = Object.keys(given);
  const isChunked = body !== '' && chunkSize > 0;
  const own = {
    Host: 'localhost',
    ...(key === '' || names.includes('Authorization') ? {} : { Authorization: `Bearer ${key}` }),
    ...(body === '' || names.includes('Content-Type') ? {} : { 'Content-Type': 'application/json' }),
    ...(body === '' || isChunked ? {} : { 'Content-Length': String(body.length) }),
    ...(isChunked ? { 'Transfer-Encoding': 'chunked' } : {}),
  };
  const content = isChunked ? chunksOf(body, chunkSize) : body;
  return {
    method,
    target,
    bytes: `${method} ${target} HTTP/1.1\r\n${linesOf(own)}${linesOf(given)}\r\n${content}`,
  };
};

const anyRequest = fc
  .record(
    {
      method: methods,
      target: fc.tuple(paths, query).map((both) => both.join('')),
      key: weighted([8, oneOf(fuzzKey)], [1, oneOf('', 'wrong', `${fuzzKey}x`, 'x'.repeat(4_000))]),
      given: headers,
      chunkSize: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 64 })),
      body: fc.oneof(oneOf(''), bodies.map(utf8)),
    },
    { noNullPrototype },
  )
  .map(framed);

const plain = { key: fuzzKey, given: {}, chunkSize: 0 };

export const hardRequest: fc.Arbitrary<FramedRequest> = oneOf(...hardBodies).map((body) =>
  framed({ ...plain, method: 'POST', target: '/v1/pets', body: utf8(body) }),
);

const goodRequest = fc.constantFrom<FramedRequest>(
  framed({ ...plain, method: 'GET', target: '/v1/pets?limit=5', body: '' }),
  framed({ ...plain, method: 'GET', target: '/v1/pets/1', body: '' }),
  framed({ ...plain, method: 'HEAD', target: '/v1/pets?limit=5', body: '' }),
  framed({ ...plain, method: 'HEAD', target: '/v1/pets/none', body: '' }),
  framed({
    ...plain,
    method: 'POST',
    target: '/v1/pets',
    body: '{"name":"Rex","categoryId":9007199254740993,"status":"sold"}',
  }),
);

export const framedRequest: fc.Arbitrary<FramedRequest> = fc.oneof(
  { weight: 60, arbitrary: anyRequest },
  { weight: 20, arbitrary: goodRequest },
);

const noise = fc.oneof(
  latin1(20),
  oneOf(
    ...['\r\n', '\n', '\r', '\0', ' ', '\t', ':', '\r\n\r\n', '0\r\n\r\n', ';a=b', '%', '\x7f', '\xff'],
    ...['Transfer-Encoding: chunked', 'Content-Length: 5', 'Host: b', 'Authorization: Bearer b'].map(
      (line) => `\r\n${line}`,
    ),
    ...['CONNECT ', 'HTTP/2.0', 'HTTP/1.0', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '\x16\x03\x01'],
    'Upgrade: h2c\r\n',
  ),
);

/** Random bytes that replace a part of the request. `at` is the position, from 0 to 1. */
const damage = fc.record(
  { at: fc.double({ min: 0, max: 1, noNaN: true }), removed: fc.nat({ max: 20 }), noise },
  { noNullPrototype },
);

export const noisyRequests: fc.Arbitrary<{ readonly requests: number; readonly bytes: string }> = fc
  .tuple(
    fc.array(framedRequest, { minLength: 1, maxLength: 3 }),
    fc.array(damage, { minLength: 1, maxLength: 3 }),
  )
  .map(([requests, damages]) => ({
    requests: requests.length,
    bytes: damages.reduce(
      (bytes, { at, removed, noise }) => {
        const place = Math.floor(at * bytes.length);
        return `${bytes.slice(0, place)}${noise}${bytes.slice(place + removed)}`;
      },
      requests.map(({ bytes }) => bytes).join(''),
    ),
  }));
