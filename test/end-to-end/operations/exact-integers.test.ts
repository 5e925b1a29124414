import { expect } from 'chai';
import { postgresStore } from '../../support/databases/databases';
import { allPets, call, environmentOf, owner } from '../../support/http/client';
import { inPostgresDatabase, setLastId } from '../../support/postgres/postgres';
import { killServices, startService } from '../../support/service/service-process';
import { describeOnEveryStore } from '../../support/service/service-under-test';

const int64Max = 9223372036854775807n;
const int64Min = -9223372036854775808n;

describeOnEveryStore('An int64', (service) => {
  const createWithCategory = (json: string) => service.create(`{"name":"Rex","categoryId":${json}}`);

  const integers: ReadonlyArray<readonly [json: string, value: bigint]> = [
    ['9223372036854775807', int64Max],
    ['-9223372036854775808', int64Min],
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740993', -9007199254740993n],
    ['9223372036854775806', int64Max - 1n],
    ['0', 0n],
    ['-0', 0n],
    ['7.0', 7n],
    ['7e0', 7n],
    ['7.000000000000000000000', 7n],
    ['70e-1', 7n],
    ['0.7E+1', 7n],
    ['1E18', 10n ** 18n],
    ['9.223372036854775807e18', int64Max],
    ['9223372036854775807.0', int64Max],
    ['-92233720368547758080e-1', int64Min],
    ['922337203685477580700e-2', int64Max],
    ['0e999999999', 0n],
  ];
  integers.forEach(([json, value]) => {
    it(`is exact from ${json} to the store and back`, async () => {
      const created = await createWithCategory(json);
      expect(created.status, created.text).to.equal(201);
      expect(created.text).to.include(`"categoryId":${value}`);
      expect(created.pet().categoryId).to.equal(value);
      const { id } = created.pet();
      expect((await service.get(`/v1/pets/${id}`)).text).to.equal(created.text);
      const [listed] = (await service.get(`/v1/pets?after=${id - 1n}`)).pets();
      expect(listed?.categoryId).to.equal(value);
    });
  });

  const others = [
    '9223372036854775808',
    '-9223372036854775809',
    '7.5',
    '1e-1',
    '1e19',
    '1e400',
    '"7"',
  ].concat(
    ['1e999999999', '1e-999999999', '-1e99999999999999999999', '9223372036854775807.1', '1'.repeat(5000)],
    ['null', 'true', '[7]', '{}', '""', '9223372036854775807.5', '{"isLosslessNumber":true,"value":"1"}'],
  );
  others.forEach((json) => {
    it(`is not ${json.slice(0, 40)}`, async () => {
      const answer = await createWithCategory(json);
      expect([answer.status, answer.code]).to.deep.equal([400, 'invalid_body']);
      expect(answer.message).to.include('categoryId');
    });
  });
});

const keyHeader = { 'Idempotency-Key': '"one"' };

describe('Ids that PostgreSQL assigns past 2^53, as distributed engines do', () => {
  afterEach(killServices);

  for (const [name, id] of [
    ['just past it', 9007199254740993n],
    ['at the end of int64', 9223372036854775804n],
  ] as const) {
    it(`are exact through the whole service: ${name}`, () =>
      inPostgresDatabase(async (url) => {
        const { address } = await startService(environmentOf(url));
        const database = postgresStore(url).open();
        await setLastId(database, id - 1n);
        await database.close();

        const body = '{"name":"Rex","categoryId":7,"status":"sold"}';
        const pet = (place: bigint): string => `{"id":${id + place},${body.slice(1)}`;
        const get = (path: string) => call(`${address}/v1/pets${path}`, { key: owner });
        const create = (headers: Readonly<Record<string, string>> = {}) =>
          call(`${address}/v1/pets`, { method: 'POST', key: owner, headers, body });

        expect((await create()).text).to.equal(pet(0n));
        expect((await create()).text).to.equal(pet(1n));
        const keyed = [await create(keyHeader), await create(keyHeader)];
        expect(keyed.map(({ text }) => text)).to.deep.equal([pet(2n), pet(2n)]);
        expect(keyed.map(({ headers }) => headers['idempotent-replayed'])).to.deep.equal([undefined, 'true']);
        for (const place of [0n, 1n, 2n]) expect((await get(`/${id + place}`)).text).to.equal(pet(place));
        expect(await allPets({ address, key: owner })).to.deep.equal([0n, 1n, 2n].map(pet));
        for (const filter of ['', '&status=sold']) {
          const page = await get(`?limit=1${filter}&after=${id}`);
          expect(page.text).to.equal(`[${pet(1n)}]`);
          expect(page.headers['link']).to.include(`after=${id + 1n}`);
        }
      }));
  }
});
