import { expect } from 'chai';
import { postgresStore, sqlStores } from '../../support/databases/databases';
import { type Answer, type Call, call, environmentOf, owner, stranger } from '../../support/http/client';
import { inPostgresDatabase } from '../../support/postgres/postgres';
import { killServices, type ServiceProcess, startService } from '../../support/service/service-process';

const limit = 20;
const seconds = 60;

const kinds: ReadonlyArray<Call & { readonly path: string }> = [
  { path: '/v1/pets?limit=1' },
  { path: '/v1/pets', method: 'POST', body: '{"name":"Rex","categoryId":7}' },
  { path: '/v1/pets/0' },
  { path: '/v1/nothing' },
];

const through = [200, 201, 404];

const flood = async (services: ReadonlyArray<ServiceProcess>, key: string): Promise<ReadonlyArray<Answer>> =>
  Promise.all(
    Array.from({ length: 10 }, () => kinds)
      .flat()
      .flatMap(({ path, ...request }) =>
        services.map(({ address }) => call(`${address}${path}`, { ...request, key })),
      ),
  );

const passed = (answers: ReadonlyArray<Answer>): number => {
  for (const { status, text, headers } of answers) {
    expect(headers['ratelimit-policy'], 'RateLimit-Policy').to.equal(`"default";q=${limit};w=${seconds}`);
    expect(headers['ratelimit'], 'RateLimit').to.match(/^"default";r=\d+;t=\d+$/);
    if (through.includes(status)) continue;
    expect([status, text]).to.deep.equal([
      429,
      '{"code":"rate_limited","message":"the owner of this API key has sent too many requests; wait for the seconds in Retry-After","status":429}',
    ]);
    expect(Number(headers['retry-after']), 'seconds in Retry-After').to.be.within(1, seconds);
  }
  return answers.filter(({ status }) => through.includes(status)).length;
};

describe('RATE_LIMIT', () => {
  afterEach(killServices);

  for (const { name, within } of sqlStores) {
    it(`limits the requests of each key to two instances, on ${name}`, () =>
      within(async ({ databaseUrl }) => {
        const environment = { ...environmentOf(databaseUrl), RATE_LIMIT: `${limit}/${seconds}s` };
        const first = await startService(environment);
        const services = [first, await startService(environment)];
        const owners = passed(await flood(services, owner));
        const strangers = passed(await flood(services, stranger));
        // Two instances on SQLite have a limit each.
        const together = name === 'SQLite' ? 2 * limit : limit;
        expect([owners, strangers]).to.deep.equal([together, together]);
        const withoutKey = await call(`${first.address}/v1/pets`);
        expect([withoutKey.status, withoutKey.headers['ratelimit']]).to.deep.equal([401, undefined]);
      }));
  }

  it('answers 503 while requests can not be counted, on PostgreSQL', () =>
    inPostgresDatabase(async (url) => {
      const service = await startService({ ...environmentOf(url), RATE_LIMIT: `${limit}/${seconds}s` });
      const { writes, close } = postgresStore(url).open();
      await writes.schema.renameTable('rate_limits', 'hidden_limits');
      const refused = await flood([service], owner);
      await writes.schema.renameTable('hidden_limits', 'rate_limits');
      await close();
      expect(new Set(refused.map(({ status }) => status))).to.deep.equal(new Set([503]));
      expect(passed(await flood([service], owner))).to.equal(limit);
    }));
});
