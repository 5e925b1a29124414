import { expect } from 'chai';
import type { TaskEither } from 'fp-ts/TaskEither';
import {
  apiKeyStore,
  type OpenedDatabase,
  knexAuthenticate,
  knexPetRepository,
} from '../../../../adapters/knex';
import { type Deadline, storeOpener, type PetQuery, type PetRepository } from '../../../../core';
import { inMemoryApiKeys } from '../../../../adapters/in-memory';
import { arbitraryIdempotencyKey, arbitraryNewPet } from '../../../contracts';
import { allPets } from '../../../contracts/pet-repository/pages-of';
import {
  databaseKinds,
  occupyPool,
  patientPostgresDatabase,
  withDatabase,
  withDatabases,
} from '../../../support/databases/databases';
import { success } from '../../../contracts/outcome';
import { eventually } from '../../../support/eventually';
import { storeOperations } from '../../../core/store-operations';

type Ask = (deadline?: Deadline) => TaskEither<unknown, unknown>;

/** Returns every call that a request may make of a database. */
const everyCall = async (database: OpenedDatabase): Promise<Readonly<Record<string, Ask>>> => {
  const pets = knexPetRepository(database);
  const { key } = await success(apiKeyStore(database).create('somebody'));
  const inMemory = inMemoryApiKeys([['somebody', key]]);
  const store = await success(storeOpener({ pets, authenticate: inMemory.authenticate })(key));
  const operations = Object.entries(storeOperations).map(
    ([name, { call }]) => [name, (deadline?: Deadline) => call(store, deadline)] as const,
  );
  const open = storeOpener({ pets, authenticate: knexAuthenticate(database) });
  return {
    ...Object.fromEntries(operations),
    'createPet with a key': (deadline) =>
      store.createPet(arbitraryNewPet(), arbitraryIdempotencyKey(), deadline),
    storeOpener: (deadline) => open(key, deadline),
  };
};

const hang = async (
  { readPool, writePool }: OpenedDatabase,
  kind: (typeof databaseKinds)[number][0],
): Promise<() => Promise<unknown>> => {
  if (kind === 'PostgreSQL') return occupyPool(writePool, 10);
  const releases = [await occupyPool(readPool, 3), await occupyPool(writePool, 1)];
  return () => Promise.all(releases.map((release) => release()));
};

const near = 300;

/** Maximum time of a call without a deadline, doubled for a busy machine. */
const ownLimit = 9_000;

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`a ${kind} database that hangs`, () => {
    it('makes each call Unavailable at the limit of the adapter, with a deadline and without', () =>
      withDatabase(makeDatabase, async (database) => {
        const calls = await everyCall(database);
        const release = await hang(database, kind);
        const began = performance.now();
        const timeOf = async (name: string, call: TaskEither<unknown, unknown>): Promise<number> => {
          expect(await call(), name).to.have.nested.property('left._tag', 'Unavailable');
          return performance.now() - began;
        };
        try {
          const times = await Promise.all(
            Object.entries(calls).map(([name, ask]) =>
              // Makes both calls at once, so that they share a batch or a resource: the deadline of one must not
              // shorten the other.
              Promise.all([timeOf(name, ask()), timeOf(name, ask(began + near))]),
            ),
          );
          for (const [unbounded, bounded] of times) {
            expect(bounded).to.be.below(ownLimit);
            expect(unbounded).to.be.within(1_000, ownLimit);
          }
        } finally {
          await release();
        }
      }));

    it('starts no query for a call whose deadline has passed', () =>
      withDatabase(makeDatabase, async (database) => {
        for (const [name, ask] of Object.entries(await everyCall(database))) {
          expect(await ask(performance.now())(), name).to.have.nested.property('left._tag', 'Unavailable');
        }
        expect(await allPets(knexPetRepository(database))).to.deep.equal([]);
      }));
  });
}

const limit = 20;

const seesIt = async ({ list }: PetRepository, query: PetQuery): Promise<boolean> =>
  (await success(list(query))).pets.length === 1;

/** Ways to read the only animal. Each returns true if it finds the animal. */
const reads: Readonly<Record<string, (repository: PetRepository) => Promise<boolean>>> = {
  'an id': async ({ find }) => (await find(1n)())._tag === 'Right',
  'the first page': (repository) => seesIt(repository, { limit }),
  'the first page of a status': (repository) => seesIt(repository, { limit, status: 'sold' }),
  'a page that follows an id': (repository) => seesIt(repository, { limit, after: 0n }),
};

const place = 4_711;

/** SQL conditions that select the reads to hold. */
const held = {
  all: 'true',
  theFirst: "nextval('reads_begun') = 1",
  lists: "current_query() like '%limit%'",
};

/**
 * Makes reads of animals in PostgreSQL wait until `release`. Each read returns the animals that were stored when the
 * read began.
 */
const holdReads = async ({ writePool }: OpenedDatabase, other: OpenedDatabase, which: string) => {
  await writePool.raw('create sequence reads_begun');
  await writePool.raw('alter table pets rename to stored_pets');
  await writePool.raw(
    `create function held_pets() returns setof stored_pets language plpgsql stable as $$ begin
       if ${which} then perform pg_advisory_xact_lock(${place}); end if;
       return query select * from stored_pets;
     end $$`,
  );
  await writePool.raw('create view pets as select * from held_pets()');
  const holder = await other.writePool.transaction();
  await holder.raw('select pg_advisory_xact_lock(?)', [place]);
  return {
    isHeld: async (): Promise<boolean> => {
      const waiting = await other
        .readPool('pg_stat_activity')
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
    it(`that began before a create is not shared by an equal read that begins after it: ${name}`, () =>
      withDatabases(2, patientPostgresDatabase, async (database, other) => {
        const { isHeld, release } = await holdReads(database, other, held.all);
        const repository = knexPetRepository(database);
        const early = read(repository);
        await eventually('it is being read', 20_000, isHeld);
        await other.writePool('stored_pets').insert({ name: 'Rex', category_id: '7', status: 'sold' });
        const late = read(repository);
        await release();
        expect([await early, await late]).to.deep.equal([false, true]);
      }));

    it(`does not delay another: ${name}`, () =>
      withDatabases(2, patientPostgresDatabase, async (database, other) => {
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

  it('leaves connections to other operations while lists of all page sizes are slow', () =>
    withDatabases(2, patientPostgresDatabase, async (database, other) => {
      const { isHeld, release } = await holdReads(database, other, held.lists);
      const { list, find } = knexPetRepository(database);
      let isOver = false;
      const slow = Promise.all(
        Array.from({ length: 30 }, (_, place) => success(list({ limit: 1 + place }))),
      ).finally(() => (isOver = true));
      await eventually('they are being read', 20_000, isHeld);
      const found = await find(1n)();
      const wasOver = isOver;
      await release();
      await slow;
      expect(found).to.have.nested.property('left._tag', 'PetNotFound');
      expect(wasOver).to.equal(false);
    }));
});
