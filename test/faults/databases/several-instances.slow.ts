import { expect } from 'chai';
import { postgresStore, type SqlStore, sqlStores } from '../../support/databases/databases';
import { eventually } from '../../support/eventually';
import { allPets, type Answer, call, idOf, parseNextLink, roundRobin } from '../../support/http/client';
import { createPostgresDatabase, type PostgresDatabase } from '../../support/postgres/postgres';
import { success } from '../../contracts/outcome';
import { killServices, type ServiceProcess, startServices } from '../../support/service/service-process';
import { apiKeyStore } from '../../../adapters/knex';

const instances = 3;

const revocationBoundMs = 5_000;

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
    it(`show each animal once on a walk from page to page during creates${filter && ', by status'}`, async () => {
      const acknowledged = await createMany(200);
      const last = acknowledged.map(idIn).reduce((one, other) => (one > other ? one : other));
      let isPast = false;
      const createUntilPast = async (): Promise<number> => {
        let count = 0;
        for (; !isPast; count += 1) await created('during a walk');
        return count;
      };
      const creating = Promise.all([1, 2, 3, 4].map(createUntilPast));
      const walked = await walk(`/v1/pets?limit=7${filter}`, (page) => {
        isPast ||= page.some((pet) => idIn(pet) >= last);
      }).finally(() => (isPast = true));
      expect(Math.min(...(await creating)), 'created during the walk by each').to.be.greaterThan(0);
      expectAscending(walked);
      expect(walked).to.include.members([...acknowledged]);
    });
  }

  it('replay a create of another instance', async () => {
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

  it('all refuse a revoked key that is in use within 5 seconds', async () => {
    const database = store.open();
    try {
      const { issue, revoke } = apiKeyStore(database);
      const lost = await success(issue('lost'));
      const statuses = async (): Promise<ReadonlyArray<number>> =>
        Promise.all(services.map(async () => (await send('/v1/pets', { key: lost.key })).status));
      expect(await statuses()).to.deep.equal([200, 200, 200]);
      await success(revoke(lost.id));
      await eventually('it is refused everywhere', revocationBoundMs, async () =>
        (await statuses()).every((status) => status === 401),
      );
      expect(await statuses(), 'from then on').to.deep.equal([401, 401, 401]);
    } finally {
      await database.close();
    }
  });
});

const readKey = 'fresh-reads-key';
const readers = 32;
const writers = 12;

/** Number of creates of each instance. All animals fit on the first page of 100. */
const createsOfEach = 8;

interface Creation {
  readonly writer: number;
  readonly reader: string;
  readonly pet: string;
}

const get = async (address: string, path: string): Promise<string> => {
  const { status, text } = await call(`${address}/v1/pets${path}`, { key: readKey });
  return status === 503 ? get(address, path) : `${status} ${text}`;
};

const requestsFor = (pet: string): Readonly<Record<string, string>> => {
  const id = idOf(pet);
  const before = (BigInt(id) - 1n).toString();
  return {
    'by its id': `/${id}`,
    'on the first page': '?limit=100',
    'on the first page of its status': '?limit=100&status=pending',
    'after the id before it': `?limit=1&after=${before}`,
    'after it, by status': `?limit=1&status=pending&after=${before}`,
  };
};

const findUnseen = async ({ writer, reader, pet }: Creation): Promise<ReadonlyArray<string>> => {
  const answers = await Promise.all(
    Object.entries(requestsFor(pet)).map(async ([way, path]) => ({ way, text: await get(reader, path) })),
  );
  return answers
    .filter(({ text }) => !text.includes(pet))
    .map(({ way, text }) => `${writer}: ${way}, ${pet}: ${text}`);
};

for (const { name, within } of sqlStores) {
  describe(`An acknowledged create on ${name}`, function () {
    afterEach(killServices);

    it(`is seen by every read that begins after it, in each of ${instances} processes under load`, () =>
      within(async ({ databaseUrl }) => {
        const services = await startServices(instances, databaseUrl, { API_KEYS: readKey });
        const addresses = services.map(({ address }) => address);
        let isOver = false;
        let newest = 0n;
        let acknowledged = 0;

        /** Sends the same reads as the writers, so that there always is a batch in flight to be joined. */
        const keepReading = async (place: number): Promise<void> => {
          const address = addresses[place % instances] ?? '';
          const pages = ['?limit=100', '?limit=100&status=pending'];
          for (let turn = place; !isOver; turn += 1) {
            await get(address, pages[turn % pages.length] ?? '');
            await get(address, `/${newest + 1n + BigInt(turn % writers)}`);
          }
        };

        const createAndLook = async (writer: number): Promise<ReadonlyArray<string>> => {
          const unseen: Array<string> = [];
          for (let count = 0; count < createsOfEach; count += 1) {
            const creator = addresses[(writer + count) % instances] ?? '';
            const { status, text: pet } = await call(`${creator}/v1/pets`, {
              method: 'POST',
              key: readKey,
              body: `{"name":"${writer} ${count}","categoryId":${count},"status":"pending"}`,
            });
            if (status === 503) continue;
            expect(status, pet).to.equal(201);
            acknowledged += 1;
            newest = BigInt(idOf(pet));
            const found = await Promise.all(addresses.map((reader) => findUnseen({ writer, reader, pet })));
            unseen.push(...found.flat());
          }
          return unseen;
        };

        const reading = Promise.all(Array.from({ length: readers }, (_, place) => keepReading(place)));
        const unseen = await Promise.all(
          Array.from({ length: writers }, (_, writer) => createAndLook(writer)),
        ).finally(() => (isOver = true));
        await reading;
        expect(unseen.flat()).to.deep.equal([]);
        expect(acknowledged).to.be.greaterThan(writers);
      }));
  });
}
