import { expect } from 'chai';
import { type Database, knexPetRepository } from '../../../../adapters/knex';
import type { PetQuery, PetRepository } from '../../../../core';
import { pageSize } from '../../../contracts/pet-repository/pages-of';
import { petId } from '../../../contracts/pet-repository/seeds';
import { postgresDatabase } from '../../../support/databases';
import { eventually } from '../../../support/eventually';
import { run } from '../../../support/run';
import { slowPets } from '../../../support/slow-pets';
import { withDatabases } from '../../../support/with-database';

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

const isReading = async ({ reads }: Database): Promise<boolean> => {
  const sleeping: ReadonlyArray<unknown> = await reads('pg_stat_activity')
    .whereRaw('datname = current_database()')
    .where({ wait_event: 'PgSleep' })
    .pluck('pid');
  return sleeping.length > 0;
};

describe('A slow read that began before a create', () => {
  for (const [name, read] of Object.entries(reads)) {
    it(`is not joined by a read of the same that begins after it: ${name}`, () =>
      withDatabases(2, postgresDatabase, async (...[database, other]) => {
        if (database === undefined || other === undefined) throw new Error('two databases are needed');
        await slowPets(database, 0.4);
        const repository = knexPetRepository(database);
        const early = read(repository);
        await eventually('it is being read', 2_000, () => isReading(other));
        await other.writes('stored_pets').insert({ name: 'Rex', category_id: '7', status: 'sold' });
        const late = read(repository);
        expect([await early, await late]).to.deep.equal([false, true]);
      }));
  }
});

/** Has the first read of PostgreSQL's animals take so many seconds, and no other. */
const slowFirstRead = async ({ writes }: Database, seconds: number): Promise<void> => {
  await writes.raw('create sequence reads');
  await writes.raw('alter table pets rename to stored_pets');
  await writes.raw(
    `create function slow_pets() returns setof stored_pets language plpgsql as $$ begin
       if nextval('reads') = 1 then perform pg_sleep(${seconds}); end if;
       return query select * from stored_pets;
     end $$`,
  );
  await writes.raw('create view pets as select * from slow_pets()');
};

describe('A slow read in PostgreSQL', () => {
  for (const [name, read] of Object.entries(reads)) {
    it(`does not make another wait: ${name}`, () =>
      withDatabases(2, postgresDatabase, async (...[database, other]) => {
        if (database === undefined || other === undefined) throw new Error('two databases are needed');
        await slowFirstRead(database, 2);
        const repository = knexPetRepository(database);
        const began = performance.now();
        const slow = read(repository);
        await eventually('it is being read', 1_500, () => isReading(other));
        await read(repository);
        expect(performance.now() - began).to.be.below(1_900);
        await slow;
        expect(performance.now() - began).to.be.above(1_900);
      }));
  }
});
