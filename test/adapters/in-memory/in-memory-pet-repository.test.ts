import { inMemoryPetRepository } from '../../../adapters/in-memory';
import { petRepositoryContract } from '../../contracts';

describe('the in-memory pet repository', () => {
  petRepositoryContract({ describe, it }, (options) =>
    Promise.resolve({ repository: inMemoryPetRepository(options), close: () => Promise.resolve() }),
  );
});
