import { expect } from 'chai';
import knex, { type Knex } from 'knex';
import { hostDatabase, knexPetRepository, knexReadiness, migrate } from '../../../../adapters/knex';
import { ApiKey, CategoryId, IdempotencyKey, KeyId, openAnimalStore, PetName } from '../../../../core';
import { inMemoryApiKeys } from '../../../../adapters/in-memory';
import { decoded } from '../../../contracts/outcome';
import { createPostgresDatabase } from '../../../support/postgres/postgres';
import { run } from '../../../support/run';
import { newDatabaseFile, removeFolders } from '../../../support/temporary-folder';

interface Host {
  readonly own: Knex;
  readonly remove: () => Promise<void>;
}

const hosts: ReadonlyArray<readonly [string, () => Promise<Host>]> = [
  [
    'SQLite',
    async () => ({
      own: knex({
        client: 'sqlite3',
        connection: { filename: await newDatabaseFile() },
        useNullAsDefault: true,
      }),
      remove: removeFolders,
    }),
  ],
  [
    'PostgreSQL',
    async () => {
      const { url, drop } = await createPostgresDatabase();
      return { own: knex({ client: 'pg', connection: url }), remove: drop };
    },
  ],
];

const key = decoded(ApiKey, 'key-of-the-host');
const { authenticate } = inMemoryApiKeys([[decoded(KeyId, 'host'), key]]);
const rex = { name: decoded(PetName, 'Rex'), categoryId: decoded(CategoryId, 7n) };
const idempotencyKey = decoded(IdempotencyKey, 'once');

for (const [kind, makeHost] of hosts) {
  describe(`A host's own knex on ${kind}`, () => {
    let host: Host;
    before(async () => {
      host = await makeHost();
      await run(migrate(hostDatabase(host.own)));
      await host.own.schema.createTable('adoptions', (table) => {
        table.bigInteger('pet_id').notNullable();
      });
    });
    after(async () => {
      await host.own.destroy();
      await host.remove();
    });

    /** The store's operations on any knex. */
    const enter = (on: Knex) =>
      run(openAnimalStore({ pets: knexPetRepository(hostDatabase(on)), authenticate })(key));

    const counts = async () => ({
      pets: await host.own('pets').pluck<Array<string>>('name'),
      adoptions: (await host.own('adoptions').select('pet_id')).length,
    });

    const adopt = (end: () => void): Promise<void> =>
      host.own.transaction(async (transaction) => {
        const { createPet } = await enter(transaction);
        const { pet } = await run(createPet(rex, idempotencyKey));
        await transaction('adoptions').insert({ pet_id: String(pet.id) });
        end();
      });

    it('is ready, and leaves the pool to the host', async () => {
      const database = hostDatabase(host.own);
      expect(await knexReadiness(database)()).to.equal(undefined);
      await database.close();
      expect(await counts()).to.deep.equal({ pets: [], adoptions: 0 });
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

describe('A knex of another kind', () => {
  it('is refused at once', async () => {
    const other = knex({ client: 'cockroachdb', connection: 'postgres://nowhere' });
    expect(() => hostDatabase(other)).to.throw(TypeError, 'the knex clients pg and sqlite3, not cockroachdb');
    await other.destroy();
  });
});
