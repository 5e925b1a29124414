import { idempotencyExpiryContract, importAllContract, petRepositoryContract } from 'animal-store/testing';
import { describe, it } from 'mocha';
import { openJsonFile } from './open-json-file';

describe('animals in a JSON file', () => {
  petRepositoryContract({ describe, it }, openJsonFile);
  importAllContract({ describe, it }, openJsonFile);
  idempotencyExpiryContract({ describe, it }, openJsonFile);
});
