import type { TaskEither } from 'fp-ts/TaskEither';
import type { AnimalStore, Deadline, OperationName } from '../../core';
import { arbitraryNewPet, arbitraryPetId } from '../contracts/arbitrary';

interface OperationCase {
  readonly call: (store: AnimalStore, deadline?: Deadline) => TaskEither<unknown, unknown>;
  /** Invalid arguments, and the failure that they get. */
  readonly refused: ReadonlyArray<unknown>;
  readonly failure: string;
}

/** Cases of each operation of a store. The compiler reports an operation without cases. */
export const storeOperations: Readonly<Record<OperationName, OperationCase>> = {
  listPets: {
    call: ({ listPets }, deadline) => listPets({}, deadline),
    refused: [{ limit: '20' }],
    failure: 'InvalidQuery',
  },
  createPet: {
    call: ({ createPet }, deadline) => createPet(arbitraryNewPet(), undefined, deadline),
    refused: [{ name: 'Rex', categoryId: '5' }],
    failure: 'InvalidNewPet',
  },
  getPet: {
    call: ({ getPet }, deadline) => getPet(arbitraryPetId(), deadline),
    refused: [2n ** 63n],
    failure: 'PetNotFound',
  },
};
