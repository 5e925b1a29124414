import { expect } from 'chai';
import type { TaskEither } from 'fp-ts/TaskEither';
import { apiKeyStore, type Database, knexAuthenticate, knexPetRepository } from '../../../../adapters/knex';
import { type Deadline } from '../../../../core';
import { arbitraryScopedIdempotencyKey } from '../../../contracts';
import { allPets } from '../../../contracts/pet-repository/pages-of';
import { databaseKinds, occupyPool, withDatabase } from '../../../support/databases/databases';
import { repositoryCalls } from '../../../support/databases/repository-calls';
import { run } from '../../../support/run';

type Ask = (deadline?: Deadline) => TaskEither<unknown, unknown>;

/** Everything that is asked of a database for a request. */
const everyCall = async (database: Database): Promise<Readonly<Record<string, Ask>>> => {
  const repository = knexPetRepository(database);
  // An import has no deadline: its source may take as long as it needs.
  const bounded = Object.entries(repositoryCalls(repository)).filter(([name]) => name !== 'importAll');
  const withKey = repositoryCalls(repository, arbitraryScopedIdempotencyKey);
  const authenticate = knexAuthenticate(database);
  const key = (await run(apiKeyStore(database).issue('somebody'))).key;
  return {
    ...Object.fromEntries(bounded),
    'create with a key': withKey.create,
    authenticate: (deadline) => authenticate(key, deadline),
  };
};

const hang = async (
  { reads, writes }: Database,
  kind: (typeof databaseKinds)[number][0],
): Promise<() => Promise<unknown>> => {
  if (kind === 'PostgreSQL') return occupyPool(writes, 10);
  const releases = [await occupyPool(reads, 3), await occupyPool(writes, 1)];
  return () => Promise.all(releases.map((release) => release()));
};

const near = 300;

/** How long a call waits at most by itself, in milliseconds, with as much again for a busy machine. */
const ownLimit = 9_000;

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`a ${kind} database that hangs`, () => {
    it('makes each call Unavailable at its own deadline, and without one at the limit of the adapter', () =>
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
              // Both are in one batch, or wait for the same.
              Promise.all([timeOf(name, ask()), timeOf(name, ask(began + near))]),
            ),
          );
          for (const [unbounded, bounded] of times) {
            expect(bounded).to.be.below(unbounded);
            expect(unbounded).to.be.within(1_000, ownLimit);
          }
        } finally {
          await release();
        }
      }));

    it('begins nothing for a call whose deadline has passed', () =>
      withDatabase(makeDatabase, async (database) => {
        for (const [name, ask] of Object.entries(await everyCall(database))) {
          expect(await ask(performance.now())(), name).to.have.nested.property('left._tag', 'Unavailable');
        }
        expect(await allPets(knexPetRepository(database))).to.deep.equal([]);
      }));
  });
}
