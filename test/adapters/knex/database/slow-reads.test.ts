import { expect } from 'chai';
import { type Database, knexPetRepository } from '../../../../adapters/knex';
import type { PetQuery, PetRepository } from '../../../../core';
import { pageSize } from '../../../contracts/pet-repository/pages-of';
import { petId } from '../../../contracts/pet-repository/seeds';
import { patientPostgresDatabase, withDatabases } from '../../../support/databases/databases';
import { eventually } from '../../../support/eventually';
import { run } from '../../../support/run';

const limit = pageSize(20);

const seesIt = async ({ list }: PetRepository, query: PetQuery): Promise<boolean> =>
  (await run(list(query))).pets.length === 1;

/** Whether the one animal is seen, by the way it is asked for. */
const reads: Readonly<Record<string, (repository: PetRepository) => Promise<boolean>>> = {
  'an id': async ({ find }) => (await find(petId(1n))())._tag === 'Right',
  'the first page': (repository) => seesIt(repository, { limit }),
  'the first page of a status': (repository) => seesIt(repository, { limit, status: 'sold' }),
  'a page that follows an id': (repository) => seesIt(repository, { limit, after: petId(0n) }),
};

const place = 4_711;

/** Which reads are held, in SQL. */
const held = {
  all: 'true',
  theFirst: "nextval('reads_begun') = 1",
  lists: "current_query() like '%limit%'",
};

/** Makes reads of PostgreSQL's animals wait until `release`; each sees what was there before. */
const holdReads = async ({ writes }: Database, other: Database, which: string) => {
  await writes.raw('create sequence reads_begun');
  await writes.raw('alter table pets rename to stored_pets');
  await writes.raw(
    `create function held_pets() returns setof stored_pets language plpgsql stable as $$ begin
       if ${which} then perform pg_advisory_xact_lock(${place}); end if;
       return query select * from stored_pets;
     end $$`,
  );
  await writes.raw('create view pets as select * from held_pets()');
  const holder = await other.writes.transaction();
  await holder.raw('select pg_advisory_xact_lock(?)', [place]);
  return {
    isHeld: async (): Promise<boolean> => {
      const waiting = await other
        .reads('pg_stat_activity')
        .whereRaw('datname = current_database()')
        .where({ wait_event: 'advisory' })
        .pluck('pid');
      return waiting.length > 0;
    },
    release: () => holder.rollback(),
  };
};

describe('A slow read in PostgreSQL', () => {
  for (const [name, read] of Object.entries(reads)) {
    it(`that began before a create is not joined by a read of the same that begins after it: ${name}`, () =>
      withDatabases(2, patientPostgresDatabase, async (...[database, other]) => {
        if (database === undefined || other === undefined) throw new Error('two databases are needed');
        const { isHeld, release } = await holdReads(database, other, held.all);
        const repository = knexPetRepository(database);
        const early = read(repository);
        await eventually('it is being read', 20_000, isHeld);
        await other.writes('stored_pets').insert({ name: 'Rex', category_id: '7', status: 'sold' });
        const late = read(repository);
        await release();
        expect([await early, await late]).to.deep.equal([false, true]);
      }));

    it(`does not make another wait: ${name}`, () =>
      withDatabases(2, patientPostgresDatabase, async (...[database, other]) => {
        if (database === undefined || other === undefined) throw new Error('two databases are needed');
        const { isHeld, release } = await holdReads(database, other, held.theFirst);
        const repository = knexPetRepository(database);
        let isOver = false;
        const slow = read(repository).finally(() => (isOver = true));
        await eventually('it is being read', 20_000, isHeld);
        await read(repository);
        expect(isOver).to.equal(false);
        await release();
        await slow;
      }));
  }

  it('leaves connections to other operations, though lists of all page sizes are as slow', () =>
    withDatabases(2, patientPostgresDatabase, async (...[database, other]) => {
      if (database === undefined || other === undefined) throw new Error('two databases are needed');
      const { isHeld, release } = await holdReads(database, other, held.lists);
      const { list, find } = knexPetRepository(database);
      let isOver = false;
      const slow = Promise.all(
        Array.from({ length: 30 }, (_, place) => run(list({ limit: pageSize(1 + place) }))),
      ).finally(() => (isOver = true));
      await eventually('they are being read', 20_000, isHeld);
      const found = await find(petId(1n))();
      const wasOver = isOver;
      await release();
      await slow;
      expect(found).to.have.nested.property('left._tag', 'PetNotFound');
      expect(wasOver).to.equal(false);
    }));
});
