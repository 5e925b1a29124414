import { expect } from 'chai';
import { securityHeaders } from '../../../adapters/http/operations/headers';
import { headOf, type RawAnswer, rawExchange } from '../../support/http/raw-connection';
import { declaredMethods } from '../../support/openapi/declared-methods';
import { logLines } from '../../support/service/log-lines';
import { apiKey, serveInProcess, whileServing } from '../../support/service/serve-in-process';
import type { RunningService } from '../../support/service/service-process';

const shop = 'https://shop.example';
const office = 'http://localhost:5173';

const preflight = ['OPTIONS /v1/pets', `Origin: ${shop}`, 'Access-Control-Request-Method: POST'] as const;
const authorized = `Authorization: Bearer ${apiKey}`;

const ask = (
  { address }: Pick<RunningService, 'address'>,
  target: string,
  ...headers: ReadonlyArray<string>
): Promise<RawAnswer> =>
  rawExchange(address, headOf(`${target} HTTP/1.1`, 'Host: a', 'Connection: close', ...headers));

const corsHeaders = ({ headers }: RawAnswer): ReadonlyArray<string> =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'));

const namesIn = (text = ''): ReadonlyArray<string> => text.toLowerCase().split(',');

describe('CORS', () => {
  let service: RunningService;
  before(async () => {
    service = await serveInProcess({ CORS_ORIGIN: `${shop}, ${office}` });
  });
  after(() => service.stop());

  it('answers the preflight of a named origin without a key', async () => {
    const { status, headers } = await ask(service, ...preflight);
    expect(status).to.equal(204);
    expect(headers.get('access-control-allow-origin')).to.equal(shop);
    expect(headers.get('vary')).to.equal('Origin');
    expect(headers.get('access-control-allow-methods')?.split(',')).to.have.members(declaredMethods());
    expect(namesIn(headers.get('access-control-allow-headers'))).to.have.members([
      ...['authorization', 'content-type', 'idempotency-key', 'x-request-id', 'traceparent', 'tracestate'],
      ...['baggage', 'sentry-trace'],
    ]);
    expect(headers.get('access-control-max-age')).to.equal('7200');
    expect(headers.has('access-control-allow-credentials')).to.equal(false);
    expect([...headers.keys()]).to.include.members(
      Object.keys(securityHeaders).map((name) => name.toLowerCase()),
    );
  });

  it('lets a named origin read the answer and its headers', async () => {
    const { status, headers } = await ask(service, 'GET /v1/pets', `Origin: ${office}`, authorized);
    expect(status).to.equal(200);
    expect(headers.get('access-control-allow-origin')).to.equal(office);
    expect(namesIn(headers.get('access-control-expose-headers'))).to.have.members([
      ...['accept', 'allow', 'deprecation', 'idempotent-replayed', 'link', 'location', 'ratelimit'],
      ...['ratelimit-policy', 'retry-after', 'sunset', 'unknown-fields', 'www-authenticate', 'x-request-id'],
    ]);
  });

  for (const [status, target, ...headers] of [
    [401, 'GET /v1/pets'],
    [400, 'GET /v1/pets?limit=0', authorized],
    [404, 'GET /elsewhere'],
    [405, 'DELETE /v1/pets', authorized],
    [400, 'GET /v1/pets', authorized, authorized],
    [417, 'GET /v1/pets', 'Expect: more'],
    [431, 'GET /v1/pets', ...Array.from({ length: 4_000 }, () => 'A: a')],
  ] as const) {
    it(`lets only a named origin read a failure of each layer: ${status} for ${target}`, async () => {
      const named = await ask(service, target, `Origin: ${shop}`, ...headers);
      expect(named.status).to.equal(status);
      expect(named.headers.get('access-control-allow-origin')).to.equal(shop);
      expect(named.headers.get('access-control-expose-headers')).to.include('Retry-After');
      expect(named.headers.get('vary')?.split(', ')).to.include('Origin');
      const other = await ask(service, target, 'Origin: https://another.example', ...headers);
      expect([other.status, ...corsHeaders(other)]).to.deep.equal([status]);
    });
  }

  for (const origin of [
    ...['https://shop.example.evil.example', 'http://shop.example', 'https://shop.example:444', 'null'],
  ]) {
    it(`gives ${origin} nothing, since nobody named it`, async () => {
      const [target, , ...rest] = preflight;
      const refused = await ask(service, target, `Origin: ${origin}`, ...rest);
      expect([refused.status, ...corsHeaders(refused)]).to.deep.equal([401]);
      const answer = await ask(service, 'GET /v1/pets', `Origin: ${origin}`, authorized);
      expect([answer.status, ...corsHeaders(answer)]).to.deep.equal([200]);
      expect(answer.headers.get('vary')).to.equal('Authorization, Origin');
    });
  }

  it('takes an OPTIONS that asks for no method for what it is: a request like others', async () => {
    expect((await ask(service, 'OPTIONS /v1/pets', `Origin: ${shop}`)).status).to.equal(401);
  });

  it('is off by default', () =>
    whileServing({}, async (plain) => {
      const refused = await ask(plain, ...preflight);
      expect([refused.status, ...corsHeaders(refused)]).to.deep.equal([401]);
      expect(refused.headers.get('vary')).to.equal('Authorization');
    }));

  it('names CORS_ORIGIN in the log when a browser asks without it, once a minute at most', () =>
    whileServing({ CORS_ORIGIN: office }, async (closed) => {
      const [target, , ...rest] = preflight;
      for (const origin of ['https://a b.example', shop, 'https://other.example'])
        expect((await ask(closed, target, `Origin: ${origin}`, ...rest)).status).to.equal(401);
      const warnings = logLines(closed.stdout()).filter(({ level }) => level === 'warn');
      expect(warnings.map(({ msg }) => msg)).to.deep.equal([
        `a browser asked from ${shop}; set CORS_ORIGIN to allow it`,
      ]);
    }));

  it('does not advise to allow a page that has no origin', () =>
    whileServing({ CORS_ORIGIN: office }, async (closed) => {
      const [target, , ...rest] = preflight;
      expect((await ask(closed, target, 'Origin: null', ...rest)).status).to.equal(401);
      const [warning] = logLines(closed.stdout()).filter(({ level }) => level === 'warn');
      expect(warning?.['msg']).to.include('from null; serve its page over HTTP');
    }));

  it('lets any origin in with *', () =>
    whileServing({ CORS_ORIGIN: '*' }, async (open) => {
      const { status, headers } = await ask(open, ...preflight);
      expect([status, headers.get('access-control-allow-origin')]).to.deep.equal([204, '*']);
    }));
});
