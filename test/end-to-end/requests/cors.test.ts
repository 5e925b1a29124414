import { expect } from 'chai';
import { openApiDocument } from '../../../adapters/http';
import { securityHeaders } from '../../../adapters/http/middleware';
import type { HttpServer } from '../../../adapters/http-server';
import { startServer } from '../../support/http/start-server';
import { headOf, type RawAnswer, rawExchange } from '../../support/http/raw-connection';
import { apiKey, serveInProcess, whileServing } from '../../support/service/serve-in-process';
import type { RunningService } from '../../support/service/service-process';

const shop = 'https://shop.example';
const office = 'http://localhost:5173';

const preflight = {
  method: 'OPTIONS',
  headers: {
    Origin: shop,
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'authorization,content-type,idempotency-key',
  },
};

/** Names of the security headers, which every response has. */
const guards = Object.keys(securityHeaders).map((name) => name.toLowerCase());

const corsHeaders = ({ headers }: Response): ReadonlyArray<string> =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'));

const listOf = (header: string | null): ReadonlyArray<string> =>
  (header ?? '').split(',').map((name) => name.trim().toLowerCase());

describe('CORS', () => {
  let service: RunningService;
  let pets: string;
  before(async () => {
    service = await serveInProcess({ CORS_ORIGIN: `${shop}, ${office}` });
    pets = `${service.address}/v1/pets`;
  });
  after(() => service.stop());

  it('answers the preflight of a named origin without a key', async () => {
    const answer = await fetch(pets, preflight);
    expect(answer.status).to.equal(204);
    expect(answer.headers.get('Access-Control-Allow-Origin')).to.equal(shop);
    expect(answer.headers.get('Vary')).to.equal('Origin');
    const documented = Object.values(openApiDocument.paths).flatMap((operations) => Object.keys(operations));
    expect(listOf(answer.headers.get('Access-Control-Allow-Methods'))).to.have.members([
      ...new Set(['get', 'head', 'post', ...documented]),
    ]);
    expect(listOf(answer.headers.get('Access-Control-Allow-Headers'))).to.have.members([
      'authorization',
      'content-type',
      'idempotency-key',
      'x-request-id',
      'traceparent',
      'tracestate',
    ]);
    expect(answer.headers.get('Access-Control-Max-Age')).to.equal('7200');
    expect(answer.headers.has('Access-Control-Allow-Credentials')).to.equal(false);
    expect([...answer.headers.keys()]).to.include.members(guards);
  });

  it('lets a named origin read the answer and its headers', async () => {
    const headers = { Origin: office, Authorization: `Bearer ${apiKey}` };
    const answer = await fetch(pets, { headers });
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('Access-Control-Allow-Origin')).to.equal(office);
    expect(answer.headers.get('Vary')).to.equal('Origin');
    expect(listOf(answer.headers.get('Access-Control-Expose-Headers'))).to.have.members([
      'link',
      'location',
      'x-request-id',
      'retry-after',
      'deprecation',
      'sunset',
      'idempotent-replayed',
      'ratelimit',
      'ratelimit-policy',
      'www-authenticate',
    ]);
  });

  it('lets a named origin read a failure of every layer', async () => {
    const headers = { Origin: shop, Authorization: `Bearer ${apiKey}` };
    for (const [status, answer] of [
      [401, await fetch(pets, { headers: { Origin: shop } })],
      [400, await fetch(`${pets}?limit=0`, { headers })],
      [404, await fetch(`${service.address}/elsewhere`, { headers })],
      [405, await fetch(pets, { method: 'DELETE', headers })],
    ] as const) {
      expect(answer.status).to.equal(status);
      expect(answer.headers.get('Access-Control-Allow-Origin'), String(status)).to.equal(shop);
      expect(answer.headers.has('Access-Control-Expose-Headers'), String(status)).to.equal(true);
    }
  });

  it('lets a named origin read what is refused before any route', async () => {
    const refusals = [
      [400, 'GET', 'Authorization: Bearer one\r\nAuthorization: Bearer two\r\n\r\n'],
      [417, 'GET', 'Expect: more\r\n\r\n'],
      [431, 'GET', `${'A: a\r\n'.repeat(4_000)}\r\n`],
      [400, 'POST', 'Transfer-Encoding: chunked\r\n\r\nno chunk\r\n'],
    ] as const;
    for (const [status, method, rest] of refusals) {
      const head = `${method} /v1/pets HTTP/1.1\r\nHost: a\r\nOrigin: ${shop}\r\n`;
      const answer = await rawExchange(service.address, head + rest);
      expect(answer.status).to.equal(status);
      expect(answer.headers.get('access-control-allow-origin'), String(status)).to.equal(shop);
      expect(answer.headers.get('vary'), String(status)).to.equal('Origin');
    }
  });

  for (const origin of [
    'https://shop.example.evil.example',
    'http://shop.example',
    'https://shop.example:444',
    'null',
  ]) {
    it(`gives ${origin} nothing, since nobody named it`, async () => {
      const refused = await fetch(pets, { ...preflight, headers: { ...preflight.headers, Origin: origin } });
      expect(refused.status).to.equal(401);
      expect(corsHeaders(refused)).to.deep.equal([]);
      const answer = await fetch(pets, { headers: { Origin: origin, Authorization: `Bearer ${apiKey}` } });
      expect(answer.status).to.equal(200);
      expect(corsHeaders(answer)).to.deep.equal([]);
      expect(answer.headers.get('Vary')).to.equal('Origin');
    });
  }

  it('takes an OPTIONS that asks for no method for what it is: a request like others', async () => {
    const answer = await fetch(pets, { method: 'OPTIONS', headers: { Origin: shop } });
    expect(answer.status).to.equal(401);
  });

  it('is off by default', () =>
    whileServing({}, async ({ address }) => {
      const refused = await fetch(`${address}/v1/pets`, preflight);
      expect(refused.status).to.equal(401);
      expect(corsHeaders(refused)).to.deep.equal([]);
      expect(refused.headers.has('Vary')).to.equal(false);
      expect(corsHeaders(await fetch(`${address}/v1/pets`, { headers: { Origin: shop } }))).to.deep.equal([]);
    }));

  it('lets any origin in with *', () =>
    whileServing({ CORS_ORIGIN: '*' }, async ({ address }) => {
      const allowed = await fetch(`${address}/v1/pets`, preflight);
      expect(allowed.status).to.equal(204);
      expect(allowed.headers.get('Access-Control-Allow-Origin')).to.equal('*');
    }));
});

describe('What the server answers itself', () => {
  let service: HttpServer;
  before(async () => {
    service = await startServer({ corsOrigins: [shop] });
  });
  after(() => service.stop(0));

  const ask = (method: string, target: string, origin = shop): Promise<RawAnswer> =>
    rawExchange(
      service.address,
      headOf(`${method} ${target} HTTP/1.1`, 'Host: a', `Origin: ${origin}`, 'Expect: the-unexpected'),
    );

  it('can be read by a named origin, and by no other', async () => {
    const named = await ask('GET', '/v1/pets');
    expect(named.status).to.equal(417);
    expect(named.headers.get('access-control-allow-origin')).to.equal(shop);
    expect(named.headers.get('access-control-expose-headers')).to.contain('Retry-After');
    const other = await ask('GET', '/v1/pets', office);
    expect(other.status).to.equal(417);
    expect([...other.headers.keys()].join()).to.not.contain('access-control');
  });
});
