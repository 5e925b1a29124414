import * as fc from 'fast-check';
import { anyCharacter } from '../../../support/random';

/** A request that is framed as HTTP asks, whatever its parts hold. Bytes stand as Latin-1. */
export interface FramedRequest {
  readonly method: string;
  readonly target: string;
  readonly bytes: string;
}

/** The key that opens the service to these requests. */
export const fuzzKey = 'the-key-of-the-fuzzed-requests';

const latin1 = (maxLength: number) =>
  fc.uint8Array({ maxLength }).map((array) => Buffer.from(array).toString('latin1'));

const utf8 = (text: string): string => Buffer.from(text).toString('latin1');

const headerValue = fc.oneof(
  { weight: 4, arbitrary: latin1(60).map((text) => text.replace(/\p{Cc}/gu, '\t')) },
  { weight: 4, arbitrary: fc.stringMatching(/^[\x20-\x7e]{0,60}$/) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...['100-continue', '"a key"', 'application/json; charset=UTF-8', 'gzip', 'identity', '*', 'W/"x"'],
      `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('"', '\\', ' ', ',', ';', 'a=', '-', '0', 'f', '%')
      .map((text) => text.repeat(3_000)),
  },
);

const methods = fc.oneof(
  { weight: 5, arbitrary: fc.constant('GET') },
  { weight: 5, arbitrary: fc.constant('POST') },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'HEAD',
      'PUT',
      'DELETE',
      'PATCH',
      'OPTIONS',
      'TRACE',
      'PROPFIND',
      'QUERY',
      'PURGE',
    ),
  },
);

const escaped = fc.stringMatching(/^([a-z0-9=&?/.;:[\]@\\~+'"<>{}|^`-]|%[0-9a-fA-F]{2}){0,40}$/);
const rawText = fc.stringMatching(/^[!"$-~]{0,30}$/);

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

const parameterValue = fc.oneof(
  escaped,
  rawText,
  fc.integer({ min: -2, max: 120 }).map(String),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  fc.constantFrom('available', 'pending', 'sold', '', 'null', '1e1', '+5', '%20', '__proto__'),
);

const query = fc
  .array(
    fc
      .tuple(fc.constantFrom('limit', 'after', 'status', '__proto__', 'x'), parameterValue)
      .map(([name, value]) => `${name}=${value}`),
    { maxLength: 4 },
  )
  .map((parameters) => (parameters.length === 0 ? '' : `?${parameters.join('&')}`));

const paths = fc.oneof(
  { weight: 6, arbitrary: fc.constant('/v1/pets') },
  { weight: 2, arbitrary: fc.oneof(int64, fc.bigInt({ min: 1n, max: 9n })).map((id) => `/v1/pets/${id}`) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('/livez', '/readyz', '/openapi.json', '/docs', '/docs/page.css', '/metrics'),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        fc.constantFrom('/', '/v1/', '/v1/pets/', '//', '/docs/', 'http://', 'http://a', '*', ''),
        fc.oneof(escaped, rawText),
      )
      .map((parts) => parts.join('') || '/'),
  },
);

const headers = fc.dictionary(
  fc.oneof(
    {
      weight: 9,
      arbitrary: fc.constantFrom(
        ...[
          'X-Request-Id',
          'Idempotency-Key',
          'Content-Type',
          'Content-Encoding',
          'Accept',
          'Cookie',
          'Origin',
        ],
        ...[
          'X-Forwarded-For',
          'Forwarded',
          'Traceparent',
          'If-None-Match',
          'Range',
          'TE',
          'Accept-Encoding',
          'Via',
        ],
        ...[
          'X-HTTP-Method-Override',
          'Expect',
          'Authorization',
          'Proxy-Authorization',
          '__proto__',
          'constructor',
        ],
      ),
    },
    { weight: 1, arbitrary: fc.stringMatching(/^[A-Za-z-]{1,20}$/) },
  ),
  headerValue,
  { maxKeys: 3, noNullPrototype: true },
);

/** One of a kind with a megabyte's worth of work for a careless parser, within the 100 kB of a body. */
const hardBodies = [
  ...['[', '{"a":', '"', '\\', '9', '"\\', '[[],', ' ', '{', '-', '"a":1,', '\u00e9', '0,', '"\\u0000'],
].map((text) => text.repeat(Math.floor(99_000 / Buffer.byteLength(text))));

const bodies = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .record(
        {
          name: fc.string({ unit: anyCharacter, maxLength: 40 }),
          categoryId: fc.oneof(fc.maxSafeInteger(), fc.jsonValue()),
          status: fc.constantFrom('available', 'pending', 'sold', null, 'gone'),
        },
        { requiredKeys: ['name', 'categoryId'], noNullPrototype: true },
      )
      .map((pet) => JSON.stringify(pet)),
  },
  { weight: 2, arbitrary: fc.json() },
  { weight: 2, arbitrary: latin1(200) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom('__proto__', 'constructor', 'name', 'categoryId', 'status'), fc.jsonValue())
      .map(
        ([name, value]) => `{"name":"Rex","categoryId":7,${JSON.stringify(name)}:${JSON.stringify(value)}}`,
      ),
  },
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
  /** 0 sends the body in one, with its length. */
  readonly chunkSize: number;
}

/** A broken HEAD is noise: behind another request the service can not know that it is one, and answers with a body. */
const unbroken = ({ target, given, ...parts }: Parts): Parts => {
  const calm = (text: string): string => text.slice(0, 1_000);
  return {
    ...parts,
    target: target.startsWith('/') ? calm(target) : '/',
    given: Object.fromEntries(Object.entries(given).map(([name, value]) => [name, calm(value)])),
  };
};

const framed = (all: Parts): FramedRequest => {
  const { method, target, key, given, body, chunkSize } = all.method === 'HEAD' ? unbroken(all) : all;
  const names = Object.keys(given);
  const own = {
    Host: 'localhost',
    ...(key === '' || names.includes('Authorization') ? {} : { Authorization: `Bearer ${key}` }),
    ...(body === '' || names.includes('Content-Type') ? {} : { 'Content-Type': 'application/json' }),
    ...(body === '' || chunkSize > 0 ? {} : { 'Content-Length': String(body.length) }),
    ...(body !== '' && chunkSize > 0 ? { 'Transfer-Encoding': 'chunked' } : {}),
  };
  const content = body !== '' && chunkSize > 0 ? chunksOf(body, chunkSize) : body;
  return {
    method,
    target,
    bytes: `${method} ${target} HTTP/1.1\r\n${linesOf(own)}${linesOf(given)}\r\n${content}`,
  };
};

const parts = {
  method: methods,
  target: fc.tuple(paths, query).map((both) => both.join('')),
  key: fc.oneof(
    { weight: 8, arbitrary: fc.constant(fuzzKey) },
    { weight: 1, arbitrary: fc.constantFrom('', 'wrong', `${fuzzKey}x`, 'x'.repeat(4_000)) },
  ),
  given: headers,
  chunkSize: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 64 })),
};

const anyRequest = fc
  .record({ ...parts, body: fc.oneof(fc.constant(''), bodies.map(utf8)) }, { noNullPrototype: true })
  .map(framed);

/** A request whose body is as long as it may be, and the hardest to read. */
export const hardRequest: fc.Arbitrary<FramedRequest> = fc
  .constantFrom(...hardBodies)
  .map((body) =>
    framed({ method: 'POST', target: '/v1/pets', key: fuzzKey, given: {}, body: utf8(body), chunkSize: 0 }),
  );

const goodRequest = fc.constantFrom<FramedRequest>(
  ...[
    ['GET', '/v1/pets?limit=5', ''],
    ['GET', '/v1/pets/1', ''],
    ['POST', '/v1/pets', '{"name":"Rex","categoryId":9007199254740993,"status":"sold"}'],
  ].map(([method = '', target = '', body = '']) =>
    framed({ method, target, key: fuzzKey, given: {}, body, chunkSize: 0 }),
  ),
);

/** Any request that a parser of HTTP can tell the end of. */
export const framedRequest: fc.Arbitrary<FramedRequest> = fc.oneof(
  { weight: 60, arbitrary: anyRequest },
  { weight: 20, arbitrary: goodRequest },
);
