import { expect } from 'chai';
import { apiKeyStore } from '../../adapters/knex';
import { allPets, type Answer, idOf, parseNextLink, roundRobin } from '../support/http/client';
import { killServices, type ServiceProcess, startServices } from '../support/service/service-process';
import { postgresStore, type SqlStore } from '../support/databases/databases';
import { eventually } from '../support/eventually';
import { createPostgresDatabase, type PostgresDatabase } from '../support/postgres/postgres';
import { run } from '../support/run';

const instances = 3;

/** In milliseconds: how soon a revoked key is refused everywhere. */
const revocationBound = 5_000;

/** The animals of a page, each as its own JSON text. */
const petsIn = (page: string): ReadonlyArray<string> => page.slice(1, -1).match(/\{[^{}]*\}/g) ?? [];

const idIn = (pet: string): bigint => BigInt(idOf(pet));

const expectAscending = (pets: ReadonlyArray<string>): void => {
  const ids = pets.map(idIn);
  expect(ids.filter((id, place) => place > 0 && id <= (ids[place - 1] ?? id))).to.deep.equal([]);
};

describe('Three instances behind round-robin on one PostgreSQL database', () => {
  let postgres: PostgresDatabase;
  let store: SqlStore;
  let services: ReadonlyArray<ServiceProcess>;
  let send: ReturnType<typeof roundRobin>;
  let key: string;

  before(async () => {
    postgres = await createPostgresDatabase();
    store = postgresStore(postgres.url);
    services = await startServices(instances, postgres.url);
    key = await Promise.any(services.map(({ firstKey }) => firstKey()));
    send = roundRobin(services.map(({ address }) => address));
  });

  after(async () => {
    await killServices();
    await postgres.drop();
  });

  const create = (name: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    send('/v1/pets', {
      method: 'POST',
      key,
      headers,
      body: `{"name":"${name}","categoryId":7,"status":"sold"}`,
    });

  const created = async (name: string): Promise<string> => {
    const { status, text } = await create(name);
    expect(status, text).to.equal(201);
    return text;
  };

  const createMany = (count: number): Promise<ReadonlyArray<string>> =>
    Promise.all(Array.from({ length: count }, (_, place) => created(`many ${place}`)));

  /** Follows the Link headers from page to page; `arrived` sees each page. */
  const walk = async (first: string, arrived: (page: ReadonlyArray<string>) => void) => {
    const walked: Array<string> = [];
    let next: string | undefined = first;
    while (next !== undefined) {
      const { status, text, headers } = await send(next, { key });
      expect(status, text).to.equal(200);
      const page = petsIn(text);
      walked.push(...page);
      arrived(page);
      const { link } = headers;
      next = parseNextLink(typeof link === 'string' ? link : link?.join());
    }
    return walked;
  };

  it('give each of 300 animals that are created at once an id of its own, and all show them', async () => {
    const pets = await createMany(300);
    expect(new Set(pets.map(idOf)).size).to.equal(pets.length);
    for (const { address } of services) {
      expect(await allPets({ address, key })).to.include.members([...pets]);
    }
  });

  for (const filter of ['', '&status=sold']) {
    it(`show no animal twice and leave none out on a walk from page to page while others create${filter && ', by status'}`, async () => {
      const acknowledged = await createMany(200);
      const last = acknowledged.map(idIn).reduce((one, other) => (one > other ? one : other));
      let isPast = false;
      const createUntilPast = async (): Promise<number> => {
        let count = 0;
        for (; !isPast; count += 1) await created('meanwhile');
        return count;
      };
      const creating = Promise.all([1, 2, 3, 4].map(createUntilPast));
      const walked = await walk(`/v1/pets?limit=7${filter}`, (page) => {
        isPast ||= page.some((pet) => idIn(pet) >= last);
      }).finally(() => (isPast = true));
      expect(Math.min(...(await creating)), 'created meanwhile by each').to.be.greaterThan(0);
      expectAscending(walked);
      expect(walked).to.include.members([...acknowledged]);
    });
  }

  it('answer a retry with the first answer, whichever of them had the first request', async () => {
    const headers = { 'Idempotency-Key': '"around"' };
    const answers = [];
    for (let turn = 0; turn < instances; turn += 1) answers.push(await create('once', headers));
    expect(answers.map(({ status }) => status)).to.deep.equal([201, 201, 201]);
    expect(answers.map((answer) => answer.headers['idempotent-replayed'])).to.deep.equal([
      undefined,
      'true',
      'true',
    ]);
    expect(new Set(answers.map(({ text }) => text)).size).to.equal(1);
  });

  it('all refuse a revoked key within 5 seconds, though it is in use', async () => {
    const database = store.open();
    try {
      const { issue, revoke } = apiKeyStore(database);
      const lost = await run(issue('lost'));
      const statuses = async (): Promise<ReadonlyArray<number>> =>
        Promise.all(services.map(async () => (await send('/v1/pets', { key: lost.key })).status));
      expect(await statuses()).to.deep.equal([200, 200, 200]);
      await run(revoke(lost.id));
      await eventually('it is refused everywhere', revocationBound, async () =>
        (await statuses()).every((status) => status === 401),
      );
      expect(await statuses(), 'from then on').to.deep.equal([401, 401, 401]);
    } finally {
      await database.close();
    }
  });
});
