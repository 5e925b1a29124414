import { knexPetMaintenance, migrate } from '../../../adapters/knex';
import { expect } from 'chai';
import { arbitraryNewPet } from '../../contracts';
import { success } from '../../contracts/outcome';
import { sourceOf } from '../../contracts/source-of';
import { type SqlStore, sqlStores } from '../../support/databases/databases';
import { call, keepAliveAgent, owner, stranger } from '../../support/http/client';
import { killServices, startService } from '../../support/service/service-process';
import { removeFolders } from '../../support/temporary-folder';

const connections = 100;
const rounds = 6;

/** Name that makes a page as large as possible, because JSON writes each of its characters as six. */
const name = '\u0001'.repeat(1_000);

const storeLargestPages = async ({ open }: SqlStore): Promise<void> => {
  const database = open();
  try {
    await success(migrate(database));
    const pets = Array.from({ length: 300 }, () => ({ ...arbitraryNewPet(), name }));
    await success(knexPetMaintenance(database).importAll(sourceOf(pets)));
  } finally {
    await database.close();
  }
};

/** Lists different pages of 600 kB on many connections with one key, while another key uses each operation. */
const listNextToAnother = async (store: SqlStore): Promise<void> => {
  await storeLargestPages(store);
  const { address } = await startService({
    DATABASE_URL: store.databaseUrl,
    API_KEYS: `${owner},${stranger}`,
    LOG_LEVEL: 'silent',
  });
  const agent = keepAliveAgent();
  let isOver = false;
  let listed = 0;
  const listPages = async (after: number): Promise<void> => {
    while (!isOver) {
      const { status, text } = await call(`${address}/v1/pets?limit=100&after=${after}`, {
        key: owner,
        agent,
      });
      if (status === 200) expect(text.length, 'characters of a page').to.be.above(600_000);
      listed += 1;
    }
  };
  const use = async (path: string, expected: number, body?: string): Promise<void> => {
    const method = body === undefined ? 'GET' : 'POST';
    for (let round = 0; round < rounds; round += 1) {
      const { status, text } = await call(`${address}${path}`, {
        method,
        key: stranger,
        agent,
        ...(body !== undefined && { body }),
      });
      expect(status, `${method} ${path}: ${text.slice(0, 200)}`).to.equal(expected);
    }
  };
  const listing = Promise.all(Array.from({ length: connections }, (_, after) => listPages(after)));
  try {
    await Promise.all([
      use('/v1/pets?after=299', 200),
      use('/v1/pets?limit=20&after=280', 200),
      use('/v1/pets?limit=100&after=150', 200),
      use('/v1/pets/300', 200),
      use('/v1/pets', 201, '{"name":"Rex","categoryId":1}'),
      use('/readyz', 200),
    ]);
  } finally {
    isOver = true;
    await listing;
    agent.destroy();
  }
  expect(listed, 'pages of the first key').to.be.at.least(connections);
};

describe(`An owner of a key who lists the largest pages on ${connections} connections`, () => {
  afterEach(killServices);
  afterEach(removeFolders);

  for (const { name: kind, within } of sqlStores) {
    it(`does not starve the owner of another key, on ${kind}`, () => within(listNextToAnother));
  }
});
