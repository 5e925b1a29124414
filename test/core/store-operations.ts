import type { TaskEither } from 'fp-ts/TaskEither';
import type { AnimalStore, Deadline } from '../../core';
import { arbitraryNewPet } from '../contracts';
import { arbitraryPetId } from '../contracts/arbitrary';

type Operation = Exclude<keyof AnimalStore, 'caller'>;

interface OperationCase {
  readonly call: (store: AnimalStore, deadline?: Deadline) => TaskEither<unknown, unknown>;
  /** Arguments that only JavaScript can pass, and the TypeError that rejects them. */
  readonly refused: ReadonlyArray<readonly [values: ReadonlyArray<unknown>, error: RegExp]>;
}

const rex = { name: 'Rex', categoryId: 5 };

const notIds = ['1', 1.5, undefined].map(
  (id) => [[id], /^TypeError: invalid PetId: it must be an integer/] as const,
);

/** Cases of each operation of a store. The compiler reports an operation without cases. */
export const storeOperations: Readonly<Record<Operation, OperationCase>> = {
  listPets: {
    call: ({ listPets }, deadline) => listPets({}, deadline),
    refused: [
      ...[0, 101, 1.5, '20'].map(
        (limit) => [[{ limit }], /^TypeError: invalid PetQuery: limit must be/] as const,
      ),
      [[{ after: '1' }], /^TypeError: invalid PetQuery: after/],
      [[{ status: 'gone' }], /^TypeError: invalid PetQuery: status/],
      ...['sold', 20, null, ['sold']].map(
        (query) => [[query], /^TypeError: invalid PetQuery: it must be an object$/] as const,
      ),
    ],
  },
  createPet: {
    call: ({ createPet }, deadline) => createPet(arbitraryNewPet(), undefined, deadline),
    refused: [
      [[{ ...rex, categoryId: '5' }], /^TypeError: invalid NewPet: categoryId must be an integer from/],
      [[{ ...rex, categoryId: 2 ** 53 }], /categoryId must be an integer/],
      [[{ ...rex, categoryId: 2n ** 63n }], /categoryId must be an integer/],
      [[{ ...rex, name: 'R\0x' }], /name must be a string of .* without U\+0000/],
      [[{ ...rex, status: 'gone' }], /status must be one of available, pending, sold/],
      [[{ name: 'Rex' }], /categoryId is required/],
      [[undefined], /it must be an object/],
      ...['', 'ключ', 7, null].map((key) => [[rex, key], /^TypeError: invalid IdempotencyKey/] as const),
    ],
  },
  getPet: {
    call: ({ getPet }, deadline) => getPet(arbitraryPetId(), deadline),
    refused: notIds,
  },
};
