import { idempotencyExpiryContract, petRepositoryContract } from '../../contracts';
import { openThrough } from './remote-repository';

describe('A store over HTTP, in this process', () => {
  petRepositoryContract({ describe, it }, openThrough());
  idempotencyExpiryContract({ describe, it }, openThrough());
});
