import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type OpenedDatabase,
  type StoreDatabase,
  hostDatabase,
  knexPetRepository,
} from '../../../../adapters/knex';
import { type CreatedPet, type PetRepository } from '../../../../core';
import { arbitraryNewPet, arbitraryScopedIdempotencyKey } from '../../../contracts';
import { success } from '../../../contracts/outcome';
import { ageKeys } from '../../../support/databases/aging';
import {
  databaseKinds,
  isDistributed,
  withDatabase,
  withStatements,
} from '../../../support/databases/databases';
import { eventually } from '../../../support/eventually';
import { keyed } from './new-pets';

// A batch may take 4 s. To replace 400 keys, a cluster on one machine takes longer.
const largestBatch = isDistributed ? 100 : 400;

const day = 24 * 60 * 60 * 1000;

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`creating animals in ${kind}`, () => {
    const use = (test: (database: OpenedDatabase) => Promise<void>) => withDatabase(makeDatabase, test);

    it('adds animals again under all expired keys of the largest batch', () =>
      use(async (database) => {
        const { create } = knexPetRepository(database);
        const creations = keyed(largestBatch);
        const createAll = (all: typeof creations): Promise<ReadonlyArray<CreatedPet>> =>
          Promise.all(all.map(([newPet, idempotency]) => success(create(newPet, { idempotency }))));
        await createAll(creations);
        await ageKeys(database, day);
        const again = await createAll(creations.toReversed());
        expect(again.filter(({ replayed }) => replayed)).to.deep.equal([]);
      }));

    it('purges expired keys', () =>
      use(async (database) => {
        const repository = knexPetRepository(database);
        await Promise.all(
          keyed(1_200).map(([newPet, idempotency]) => success(repository.create(newPet, { idempotency }))),
        );
        await ageKeys(database, day);
        // A create starts the next purge, unless one is running or has just ended.
        await eventually('no expired key is left', 20_000, async () => {
          for (const [newPet, idempotency] of keyed(1))
            await success(repository.create(newPet, { idempotency }));
          const left: ReadonlyArray<unknown> = await database
            .readPool('idempotency_keys')
            .pluck('expires_at');
          return left.every((expiresAt) => Number(expiresAt) > Date.now());
        });
      }));

    it("purges no keys in a host's transaction, which a failed purge would abort", () =>
      use(async (database) => {
        const purges: Array<boolean> = [];
        const observed = (on: StoreDatabase): StoreDatabase =>
          withStatements(on, {
            purgeExpired: (knex) => Promise.resolve(purges.push(knex.isTransaction === true)),
          });
        const create = ({ create }: PetRepository) => success(create(arbitraryNewPet()));
        await database.writePool.transaction(async (transaction) => {
          await create(knexPetRepository(observed(hostDatabase(transaction))));
        });
        await create(knexPetRepository(observed(hostDatabase(database.writePool))));
        expect(purges).to.deep.equal([false]);
      }));

    it('purges expired keys few at a time, and leaves most of the time to creates', () =>
      use(async (database) => {
        const purgeMs = 20;
        const pausesMs: Array<number> = [];
        let ended = Infinity;
        const purging = withStatements(database, {
          purgeExpired: async (_knex, limit) => {
            expect(limit).to.be.at.most(200);
            if (ended < Infinity) pausesMs.push(performance.now() - ended);
            await delay(purgeMs);
            ended = performance.now();
            return limit;
          },
        });
        const { create } = knexPetRepository(purging);
        await eventually('it has purged four times', 20_000, async () => {
          await success(create(arbitraryNewPet()));
          return pausesMs.length === 3;
        });
        expect(Math.min(...pausesMs)).to.be.above(4 * purgeMs);
      }));

    it('fails no create when expired keys can not be purged', () =>
      use(async (database) => {
        const refusing = withStatements(database, {
          purgeExpired: () => Promise.reject(new Error('no key goes')),
        });
        const repository = knexPetRepository(refusing);
        await success(repository.create(arbitraryNewPet(), { idempotency: arbitraryScopedIdempotencyKey() }));
        await ageKeys(database, day);
        for (const [newPet, idempotency] of keyed(3))
          await success(repository.create(newPet, { idempotency }));
        expect(await database.readPool('idempotency_keys').pluck('expires_at')).to.have.lengthOf(4);
      }));
  });
}
