import { embeddedClient } from '../../../adapters/client';
import { expect } from 'chai';
import knex, { type Knex } from 'knex';
import { createRequire } from 'node:module';
import {
  hostDatabase,
  knexPetMaintenance,
  knexPetRepository,
  migrate,
  migrationConfig,
} from '../../../adapters/knex';
import { engineOf } from '../../../adapters/knex/database/engine';
import { ApiKey, decodeOrThrow, IdempotencyKey, KeyId, storeOpener } from '../../../core';
import { inMemoryApiKeys } from '../../../adapters/in-memory';
import { createPostgresDatabase } from '../../support/postgres/postgres';
import { success } from '../../contracts/outcome';
import { newDatabaseFile, removeFolders } from '../../support/temporary-folder';
import { sourceOf } from '../../contracts/source-of';

interface Host {
  readonly open: () => Knex;
  readonly remove: () => Promise<void>;
}

const hosts: ReadonlyArray<readonly [string, () => Promise<Host>]> = [
  [
    'SQLite',
    async () => {
      const filename = await newDatabaseFile();
      const configuration = { client: 'sqlite3', connection: { filename }, useNullAsDefault: true };
      return { open: () => knex(configuration), remove: removeFolders };
    },
  ],
  [
    'PostgreSQL',
    async () => {
      const { url, drop } = await createPostgresDatabase();
      return { open: () => knex({ client: 'pg', connection: url }), remove: drop };
    },
  ],
];

const key = decodeOrThrow(ApiKey, 'key-of-the-host');
const { authenticate } = inMemoryApiKeys([[decodeOrThrow(KeyId, 'host'), key]]);
const rex = { name: 'Rex', categoryId: 7n };
const idempotencyKey = decodeOrThrow(IdempotencyKey, 'once');

for (const [kind, makeHost] of hosts) {
  describe(`A host's own knex on ${kind}`, () => {
    let host: Host;
    let own: Knex;
    before(async () => {
      host = await makeHost();
      own = host.open();
      await success(migrate(hostDatabase(own)));
      await own.schema.createTable('adoptions', (table) => {
        table.bigInteger('pet_id').notNullable();
      });
    });
    after(async () => {
      await own.destroy();
      await host.remove();
    });

    const enter = (on: Knex) =>
      success(storeOpener({ pets: knexPetRepository(hostDatabase(on)), authenticate })(key));

    const counts = async () => ({
      pets: await own('pets').pluck<Array<string>>('name'),
      adoptions: (await own('adoptions').select('pet_id')).length,
    });

    const adopt = (end: () => void): Promise<void> =>
      own.transaction(async (transaction) => {
        const { createPet } = await enter(transaction);
        const { pet } = await success(createPet(rex, idempotencyKey));
        await transaction('adoptions').insert({ pet_id: String(pet.id) });
        end();
      });

    it('rolls an animal back with the row of the host, and commits both, once for one key', async () => {
      const failed: unknown = await adopt(() => {
        throw new Error('no longer wanted');
      }).catch((error: unknown) => error);
      expect(failed).to.have.property('message', 'no longer wanted');
      expect(await counts()).to.deep.equal({ pets: [], adoptions: 0 });
      await adopt(() => undefined);
      await adopt(() => undefined);
      expect(await counts()).to.deep.equal({ pets: ['Rex'], adoptions: 2 });
    });
  });
}

describe("A host's SQLite file without a write-ahead log", () => {
  after(removeFolders);

  it('keeps each acknowledged animal, also after a commit that found the file locked', async () => {
    const filename = await newDatabaseFile();
    const open = () => knex({ client: 'sqlite3', connection: { filename }, useNullAsDefault: true });
    const [own, reader] = [open(), open()];
    try {
      await success(migrate(hostDatabase(own)));
      const pets = knexPetRepository(hostDatabase(own));
      const { createPet } = await success(storeOpener({ pets, authenticate })(key));
      const lock = await reader.transaction();
      await lock('pets').select('id');
      const refused = await createPet(rex, idempotencyKey)();
      expect(refused).to.deep.include({ _tag: 'Left' });
      await lock.rollback();
      const { pet } = await success(createPet(rex));
      expect(await reader('pets').pluck('id')).to.deep.equal([Number(pet.id)]);
    } finally {
      await own.destroy();
      await reader.destroy();
    }
  });
});

describe("A host's pool of one connection to PostgreSQL", () => {
  it('serves creations with keys, imports, and other calls after a transaction that failed', async () => {
    const { url, drop } = await createPostgresDatabase();
    const own = knex({ client: 'pg', connection: url, pool: { min: 0, max: 1 } });
    try {
      const database = hostDatabase(own);
      await success(migrate(database));
      const pets = knexPetRepository(database);
      const { createPet } = await success(storeOpener({ pets, authenticate })(key));
      expect((await success(createPet(rex, idempotencyKey))).replayed).to.equal(false);
      expect((await success(createPet(rex, idempotencyKey))).replayed).to.equal(true);
      const { importAll } = knexPetMaintenance(database);
      expect((await success(importAll(sourceOf([rex, rex])))).count).to.equal(2);

      const failure = await own
        .transaction(async (transaction) => {
          await transaction.raw('select no_such_column').catch(() => undefined);
          const inside = knexPetRepository(hostDatabase(transaction));
          const animals = embeddedClient({
            openStore: storeOpener({ pets: inside, authenticate }),
            apiKey: key,
          });
          return animals.create(rex, { retryForMs: 0 });
        })
        .catch((error: unknown) => error);
      expect(failure).to.include({ code: 'unavailable', attempts: 1 });
      expect((await success(createPet(rex))).replayed).to.equal(false);
    } finally {
      await own.destroy();
      await drop();
    }
  });
});

describe('A knex that the store cannot use', () => {
  const refusals: ReadonlyArray<readonly [Knex.Config, RegExp]> = [
    [{ client: 'cockroachdb' }, /the knex clients pg and sqlite3, not cockroachdb/],
    [{ client: knex.Client }, /the knex clients pg and sqlite3, not a class/],
    [{ client: 'pg', wrapIdentifier: (name, wrap) => wrap(name.toLowerCase()) }, /make a second Knex/],
    [{ client: 'pg', postProcessResponse: (response: unknown) => response }, /make a second Knex/],
  ];
  for (const [configuration, message] of refusals) {
    it(`is refused at once, with what to do: ${message.source}`, async () => {
      const other = knex({ connection: 'postgres://nowhere', ...configuration });
      expect(() => hostDatabase(other)).to.throw(TypeError, message);
      await other.destroy();
    });
  }
});

describe('The migrations on a knex that the store cannot use', () => {
  after(removeFolders);

  it('make no table of the store', async () => {
    // Passes Knex a client class for SQLite instead of the name `sqlite3`, as a host with better-sqlite3 would.
    const client: unknown = createRequire(__filename)('knex/lib/dialects/sqlite3');
    const isClient = (_value: unknown): _value is typeof knex.Client => typeof client === 'function';
    if (!isClient(client)) return expect.fail('knex has moved its client for SQLite');
    const connection = { filename: await newDatabaseFile() };
    const log = { warn: () => undefined, error: () => undefined };
    const other = knex({ client, connection, useNullAsDefault: true, log });
    const error: unknown = await other.migrate.latest(migrationConfig).catch((reason: unknown) => reason);
    expect(error).to.be.an.instanceOf(TypeError);
    expect(await other.schema.hasTable('pets')).to.equal(false);
    await other.destroy();
    expect(() => engineOf({ client: { config: { client: 'better-sqlite3' } } })).to.throw(
      TypeError,
      'not better-sqlite3; make a second Knex',
    );
  });
});

describe('A knex whose client has another name', () => {
  for (const client of ['postgres', 'postgresql', 'sqlite']) {
    it(`is accepted: ${client}`, async () => {
      const other = knex({ client, connection: { filename: 'none' }, useNullAsDefault: true });
      expect(hostDatabase(other)).to.include({ readPool: other });
      await other.destroy();
    });
  }
});
