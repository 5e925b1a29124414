import { expect } from 'chai';
import { type SqlStore, sqlStores } from '../../support/databases/databases';
import { connectTo, readHttpResponses } from '../../support/http/raw-connection';
import { checkAnswer, type CheckedAnswer } from '../../support/openapi/checked-answer';
import { killServices, startService } from '../../support/service/service-process';
import { requestBytes, type RequestOptions } from '../../support/service/service-under-test';

const sql = [
  ...["' OR 1=1 --", "'; DROP TABLE pets; --", '1; DELETE FROM pets', '1 UNION SELECT digest FROM api_keys'],
  ...['1)) OR ((1=1', "'||(SELECT key FROM api_keys)||'", '"; DROP TABLE pets; --', "\\'; --", '0x27 OR 1=1'],
  ..."` \\ % _ ? ?? :id $1 ${1} 1/**/OR/**/1 ' '' NULL".split(' '),
  "E'\\x27'",
  '/* */',
];

const injected = [
  'a\\r\\nSet-Cookie: x=y',
  'a%0d%0aSet-Cookie:%20x=y',
  '>; rel="x", <http://other',
  '"><script>',
  '\u560d\u560a',
];

const polluting = [
  '{"name":"Rex","categoryId":1,"__proto__":{"status":"sold","id":7}}',
  '{"name":"Rex","categoryId":1,"constructor":{"prototype":{"status":"sold"}}}',
  '{"__proto__":{"name":"Rex","categoryId":1},"name":"Rex","categoryId":1}',
  '{"name":"Rex","categoryId":1,"toString":1,"hasOwnProperty":1,"valueOf":null}',
];

const headersOfEveryAnswer =
  'cache-control content-security-policy x-content-type-options x-request-id'.split(' ');

const furtherHeaders =
  'connection content-length content-type date keep-alive www-authenticate allow link location deprecation sunset \
ratelimit ratelimit-policy vary retry-after idempotent-replayed unknown-fields'.split(' ');

const asker =
  (address: string, ownKey: string) =>
  async (
    target: string,
    { method = 'GET', headers = {}, ...options }: RequestOptions & { readonly method?: string } = {},
  ): Promise<CheckedAnswer> => {
    const json = options.body === undefined ? {} : { 'Content-Type': 'application/json' };
    const bytes = requestBytes(method, target, { key: ownKey, headers: { ...json, ...headers }, ...options });
    const connection = connectTo(address);
    connection.send(bytes);
    const [response] = readHttpResponses(await connection.closed(), [method]);
    if (response === undefined) throw new Error(`no answer to ${bytes.toString()}`);
    const names = response.headers.map(([name]) => name);
    expect(names, bytes.toString()).to.include.members(headersOfEveryAnswer);
    expect(
      names.filter((name) => ![...headersOfEveryAnswer, ...furtherHeaders].includes(name)),
      bytes.toString(),
    ).to.deep.equal([]);
    return checkAnswer({ method, target }, response);
  };

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

const attack = async ({ databaseUrl, open }: SqlStore): Promise<void> => {
  const service = await startService({
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'silent',
    RATE_LIMIT: '100000/60s',
    CORS_ORIGIN: 'https://shop.example',
  });
  const ask = asker(service.address, await service.firstKey());
  const names: Array<string> = [];
  const post = async (
    name: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<CheckedAnswer> => {
    const body = JSON.stringify({ name, categoryId: 7, [name]: name });
    const answer = await ask('/v1/pets', { method: 'POST', headers, body });
    expect(answer.status, answer.text).to.equal(201);
    expect(answer.pet().name).to.equal(name);
    expect(answer.pet()).not.to.have.property('status');
    return answer;
  };
  const create = async (name: string): Promise<void> => {
    await post(name);
    names.push(name);
  };
  const createTwice = async (name: string): Promise<void> => {
    const headers = { 'Idempotency-Key': quoted(name) };
    const { text } = await post(name, headers);
    const replay = await post(name, headers);
    expect([replay.header('Idempotent-Replayed'), replay.text]).to.deep.equal(['true', text]);
    names.push(name);
  };
  await create('Rex');
  await create('Tom');

  for (const text of [...sql, ...injected]) {
    const escaped = encodeURIComponent(text);
    for (const parameter of ['limit', 'after', 'status']) {
      expect((await ask(`/v1/pets?${parameter}=${escaped}`)).status, text).to.equal(400);
    }
    const page = await ask(`/v1/pets?limit=1&${escaped}=${escaped}`);
    const unescaped = await ask(`/v1/pets?limit=1&x=${text.replace(/[^!-~]/g, '')}`);
    for (const { header } of [page, unescaped]) {
      expect(header('Link')).to.match(/^<\?[^<>"\s]*&after=1>; rel="next"$/);
    }
    expect((await ask(`/v1/pets/${escaped}`)).status, text).to.equal(404);
    const latin = Buffer.from(text).toString('latin1');
    expect((await ask('/v1/pets', { key: latin })).status, text).to.equal(401);
    for (const header of ['X-Request-Id', 'traceparent', 'Origin', 'Cookie']) {
      const answer = await ask('/v1/pets?limit=1', { headers: { [header]: latin } });
      expect(answer.status, text).to.equal(200);
      expect(answer.header('X-Request-Id')).to.match(/^[\w.:~+/=-]{1,128}$/);
    }
    for (const field of ['categoryId', 'status']) {
      const body = JSON.stringify({ name: 'x', categoryId: 7, [field]: text });
      expect((await ask('/v1/pets', { method: 'POST', body })).status, text).to.equal(400);
    }
    await (/^[ -~]*$/.test(text) ? createTwice(text) : create(text));
  }

  for (const body of polluting) {
    const answer = await ask('/v1/pets', {
      method: 'POST',
      body,
      headers: { __proto__: 'x', constructor: 'y' },
    });
    expect(answer.status, body).to.equal(201);
    expect(answer.pet()).to.have.all.keys('id', 'name', 'categoryId');
    names.push('Rex');
  }
  const query = '__proto__[status]=sold&__proto__=sold&constructor.prototype.limit=1&limit=100';
  expect((await ask(`/v1/pets?${query}`)).pets()).to.have.length(names.length);
  await create('after the pollution');

  const { reads, close } = open();
  const stored: ReadonlyArray<unknown> = await reads('pets').orderBy('id').pluck('name');
  const keys: ReadonlyArray<unknown> = await reads('api_keys').whereNull('revoked_at').pluck('name');
  await close();
  expect(stored).to.deep.equal(names);
  expect(keys).to.deep.equal(['first key']);
};

describe('Hostile values of a client', () => {
  afterEach(killServices);

  for (const { name, within } of sqlStores) {
    it(`are stored or refused as values, in every input, on ${name}`, () => within(attack));
  }
});
