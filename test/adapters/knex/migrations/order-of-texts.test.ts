import { expect } from 'chai';
import { inspectDatabase, knexPetRepository, migrate, type OpenedDatabase } from '../../../../adapters/knex';
import { decodeOrThrow, IdempotencyKey, OwnerId } from '../../../../core';
import { arbitraryNewPet } from '../../../contracts';
import { errorKindOf } from '../../../../adapters/knex/database/errors';
import { success } from '../../../contracts/outcome';
import { postgresWith, withEmptyDatabase } from '../../../support/databases/databases';
import { execute } from '../../../support/postgres/postgres';

const orderedBy = (locale: string) =>
  postgresWith(
    {},
    `locale_provider icu icu_locale '${locale}' locale 'C' encoding 'UTF8' template template0`,
  );

/** Changes the sort order of texts after the indexes were built, as an update of the operating system may. */
const changeOrder = (url: string): Promise<void> =>
  execute(url, `update pg_database set datlocale = 'en' where datname = current_database()`);

const numeric = 'en-u-kn-true';

const creates = Array.from({ length: 60 }, (_, place) => ({
  newPet: arbitraryNewPet(),
  idempotency: {
    ownerId: decodeOrThrow(OwnerId, 'owner'),
    idempotencyKey: decodeOrThrow(IdempotencyKey, `Key ${place}`),
  },
}));

const createAll = async (database: OpenedDatabase): Promise<ReadonlyArray<boolean>> => {
  const { create } = knexPetRepository(database);
  const replayed: Array<boolean> = [];
  for (const { newPet, idempotency } of creates)
    replayed.push((await success(create(newPet, { idempotency }))).replayed);
  return replayed;
};

describe('A PostgreSQL server that has changed its order of texts', () => {
  it('still finds each idempotency key, so that no retry adds a second animal', () =>
    withEmptyDatabase(orderedBy(numeric), async (database, open, url) => {
      await success(migrate(database));
      await createAll(database);
      await changeOrder(url);
      expect(await createAll(open())).to.deep.equal(creates.map(() => true));
    }));

  it('is migrated from the earlier order, though it holds a key twice by then', () =>
    withEmptyDatabase(orderedBy(numeric), async (database, open, url) => {
      await success(migrate(database));
      for (const table of ['idempotency_keys', 'rate_limits']) {
        const columns = table === 'rate_limits' ? ['key'] : ['owner_id', 'idempotency_key'];
        for (const column of columns)
          await database.writePool.raw(
            `alter table ${table} alter column ${column} type text collate "default"`,
          );
      }
      await database.writePool('animal_store_migrations').where('name', 'like', '003%').delete();
      await createAll(database);
      await changeOrder(url);
      const changed = open();
      expect(await createAll(changed)).to.include(false);
      await success(migrate(changed));
      expect(await createAll(changed)).to.deep.equal(creates.map(() => true));
    }));

  it('keeps a store that a migration cannot change because of a view, and the failure says so', () =>
    withEmptyDatabase(orderedBy('en'), async (database, _open, url) => {
      await success(migrate(database));
      await execute(
        url,
        `alter table idempotency_keys alter column owner_id type text collate "default";
        create view owners as select owner_id from idempotency_keys;
        delete from animal_store_migrations where name like '003%'`,
      );
      const outcome = await migrate(database)();
      const cause = outcome._tag === 'Left' && outcome.left.cause;
      expect(errorKindOf(cause)).to.equal('ColumnUsed');
      expect(cause).to.have.property('message').that.includes('view');
    }));

  it('is named by doctor, with the statements that repair the indexes', () =>
    withEmptyDatabase(orderedBy('en'), async (database, _open, url) => {
      await success(migrate(database));
      const findings = async () =>
        (await success(inspectDatabase(database))).map((finding) => ('text' in finding ? finding.text : ''));
      expect((await findings()).join()).not.to.include('reindex');
      await execute(
        url,
        `update pg_database set datcollversion = '1.2.3' where datname = current_database()`,
      );
      expect((await findings()).join()).to.match(
        /1\.2\.3.* run: reindex database \S+; alter database \S+ refresh/,
      );
    }));
});
