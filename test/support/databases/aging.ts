import type { StoreDatabase } from '../../../adapters/knex';
import type { MaintainedRepository } from '../../contracts';
import { maintainedRepository } from './maintained-repository';

/** Makes idempotency keys older, because a test can't set the clock of a database. */
export const ageKeys = ({ write }: StoreDatabase, byMs: number): Promise<unknown> =>
  write((pool) => pool('idempotency_keys').decrement('expires_at', byMs));

/**
 * Makes a repository for a clock that a test sets. If the clock has advanced, a create first makes the stored
 * idempotency keys older by the same time.
 */
export const agingRepository = (database: StoreDatabase, now: () => number): MaintainedRepository => {
  const repository = maintainedRepository(database);
  if (now === Date.now) return repository;
  let last = now();
  let aged: Promise<unknown> = Promise.resolve();
  return {
    ...repository,
    create: (newPet, options) => async () => {
      const passedMs = now() - last;
      last += passedMs;
      if (passedMs > 0) aged = aged.then(() => ageKeys(database, passedMs));
      await aged;
      return repository.create(newPet, options)();
    },
  };
};
