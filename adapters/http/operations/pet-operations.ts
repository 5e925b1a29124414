import type { OperationName } from '../../../core';
import { handleCreatePet } from './create-pet';
import { handleGetPet } from './get-pet';
import type { Headers } from './headers';
import { handleListPets } from './list-pets';
import type { Handler } from './pet-request';

/** Operation under `/v1`. Its name in `petOperations` is its `operationId` in openapi.json. */
export interface PetOperation {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly successStatus: number;
  /** Headers of every response of the operation, even if it fails. */
  readonly headers?: Headers;
  readonly handle: Handler;
}

export const petOperations: Readonly<Record<OperationName, PetOperation>> = {
  listPets: { method: 'GET', path: '/v1/pets', successStatus: 200, handle: handleListPets },
  createPet: { method: 'POST', path: '/v1/pets', successStatus: 201, handle: handleCreatePet },
  getPet: {
    method: 'GET',
    path: '/v1/pets/:petId',
    successStatus: 200,
    // Headers of RFC 9745 and RFC 8594, and a relation of RFC 5829. Link is relative, to work behind any path prefix.
    headers: {
      Deprecation: '@1795046400',
      Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
      Link: '<../pets>; rel="successor-version"',
    },
    handle: handleGetPet,
  },
};

/** Returns the HTTP methods of an operation: its own method, and HEAD for GET. */
export const methodsOf = ({ method }: PetOperation): ReadonlyArray<string> =>
  method === 'GET' ? ['GET', 'HEAD'] : [method];

export const petMethods: ReadonlyArray<string> = [
  ...new Set(Object.values(petOperations).flatMap(methodsOf)),
];

export const operationsHint = 'the operations on animals are under /v1';
