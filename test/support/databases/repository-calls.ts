import type { TaskEither } from 'fp-ts/TaskEither';
import { constUndefined } from 'fp-ts/function';
import type { Deadline, PetRepository, ScopedIdempotencyKey } from '../../../core';
import { arbitraryNewPet, type TestRunner } from '../../contracts';
import { arbitraryPetId } from '../../contracts/arbitrary';
import { pageSize } from '../../contracts/pet-repository/pages-of';
import { inTurn } from './catalogue';

/** Something for each operation of the port. An operation that is missing does not compile. */
export type ForEachOperation<A> = { readonly [Operation in keyof PetRepository]: A };

interface OperationFacts {
  readonly isWrite: boolean;
  /** Tag of the failure when the database is closed. */
  readonly closedFailure: 'ImportAborted' | 'Unavailable';
}

const factsOfEach: ForEachOperation<OperationFacts> = {
  list: { isWrite: false, closedFailure: 'Unavailable' },
  find: { isWrite: false, closedFailure: 'Unavailable' },
  create: { isWrite: true, closedFailure: 'Unavailable' },
  importAll: { isWrite: true, closedFailure: 'ImportAborted' },
};

/** Facts by the name of an operation. */
export const operationFacts: Readonly<Record<string, OperationFacts>> = factsOfEach;

/** Calls each operation once, at random values. */
export const repositoryCalls = (
  { list, find, create, importAll }: PetRepository,
  newKey: () => ScopedIdempotencyKey | undefined = constUndefined,
): ForEachOperation<(deadline?: Deadline) => TaskEither<unknown, unknown>> => ({
  list: (deadline) => list({ limit: pageSize(1) }, deadline),
  find: (deadline) => find(arbitraryPetId(), deadline),
  create: (deadline) => create(arbitraryNewPet(), newKey(), deadline),
  importAll: () => importAll(inTurn([arbitraryNewPet()])),
});

/** Mocha, without the tests of promises that a way of working can't keep. */
export const runnerWithout = (...titles: ReadonlyArray<string>): TestRunner => ({
  describe,
  it: (title, check) => {
    if (!titles.includes(title)) it(title, check);
  },
});
