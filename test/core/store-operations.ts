import type { TaskEither } from 'fp-ts/TaskEither';
import type { AnimalStore, Deadline } from '../../core';
import { arbitraryNewPet } from '../contracts';
import { arbitraryPetId } from '../contracts/arbitrary';

type Operation = Exclude<keyof AnimalStore, 'caller'>;

interface OperationCase {
  readonly call: (store: AnimalStore, deadline?: Deadline) => TaskEither<unknown, unknown>;
  /** Arguments that only JavaScript can pass. */
  readonly refused: ReadonlyArray<unknown>;
}

/** Cases of each operation of a store. The compiler reports an operation without cases. */
export const storeOperations: Readonly<Record<Operation, OperationCase>> = {
  listPets: {
    call: ({ listPets }, deadline) => listPets({}, deadline),
    refused: [{ limit: '20' }],
  },
  createPet: {
    call: ({ createPet }, deadline) => createPet(arbitraryNewPet(), undefined, deadline),
    refused: [{ name: 'Rex', categoryId: '5' }],
  },
  getPet: {
    call: ({ getPet }, deadline) => getPet(arbitraryPetId(), deadline),
    refused: ['1'],
  },
};
