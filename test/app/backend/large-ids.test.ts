import { expect } from 'chai';
import { allPets, call } from '../../support/http/client';
import { inPostgresDatabase, setLastId } from '../../support/postgres/postgres';
import { postgresStore } from '../../support/databases/databases';
import { startService } from '../../support/service/service-process';

const key = 'large-ids-key';
const keyHeader = { 'Idempotency-Key': '"one"' };

describe('Ids that PostgreSQL assigns past 2^53, as distributed engines do', () => {
  for (const [name, id] of [
    ['just past it', 9007199254740993n],
    ['at the end of int64', 9223372036854775804n],
  ] as const) {
    it(`are exact through the whole service: ${name}`, () =>
      inPostgresDatabase(async (url) => {
        const { address } = await startService({ DATABASE_URL: url, API_KEYS: key, LOG_LEVEL: 'silent' });
        const database = postgresStore(url).open();
        await setLastId(database, id - 1n);
        await database.close();

        const body = '{"name":"Rex","categoryId":7,"status":"sold"}';
        const pet = (place: bigint): string => `{"id":${id + place},${body.slice(1)}`;
        const get = (path: string) => call(`${address}/v1/pets${path}`, { key });
        const create = (headers: Readonly<Record<string, string>> = {}) =>
          call(`${address}/v1/pets`, { method: 'POST', key, headers, body });

        expect((await create()).text).to.equal(pet(0n));
        expect((await create()).text).to.equal(pet(1n));
        const keyed = [await create(keyHeader), await create(keyHeader)];
        expect(keyed.map(({ text }) => text)).to.deep.equal([pet(2n), pet(2n)]);
        expect(keyed.map(({ headers }) => headers['idempotent-replayed'])).to.deep.equal([undefined, 'true']);
        for (const place of [0n, 1n, 2n]) expect((await get(`/${id + place}`)).text).to.equal(pet(place));
        expect(await allPets({ address, key })).to.deep.equal([0n, 1n, 2n].map(pet));
        for (const filter of ['', '&status=sold']) {
          const page = await get(`?limit=1${filter}&after=${id}`);
          expect(page.text).to.equal(`[${pet(1n)}]`);
          expect(page.headers['link']).to.include(`after=${id + 1n}`);
        }
      }));
  }
});
