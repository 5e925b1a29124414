import { idempotencyExpiryContract, importAllContract, petRepositoryContract } from 'animal-store/testing';
import { describe, it } from 'node:test';
import { openJsonFile } from './open-json-file';

petRepositoryContract({ describe, it }, openJsonFile);
importAllContract({ describe, it }, openJsonFile);
idempotencyExpiryContract({ describe, it }, openJsonFile);
