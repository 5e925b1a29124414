import { expect } from 'chai';
import { sqlStores } from '../../support/databases/databases';
import { call, idOf } from '../../support/http/client';
import { killServices, startServices } from '../../support/service/service-process';

const instances = 3;
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

        /**
         * Sends the same reads as the writers, so that a batch is always in flight that a later read could wrongly
         * join.
         */
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
        expect(unseen.flat(), 'animals that an instance did not show').to.deep.equal([]);
        expect(acknowledged, 'creates with a 201').to.be.greaterThan(writers);
      }));
  });
}
