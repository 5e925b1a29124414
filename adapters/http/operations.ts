import type { OperationName } from '../../core';
import { handleCreatePet } from './handlers/create-pet';
import { handleGetPet } from './handlers/get-pet';
import { handleListPets } from './handlers/list-pets';
import type { Handle } from './handlers/request';
import type { Headers } from './reply';

/** Operation under /v1. openapi.json describes it by its name, as `operationId`. */
export interface PetOperation {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly successStatus: number;
  /** Headers of every response of the operation. */
  readonly headers?: Headers;
  readonly handle: Handle;
}

export const petOperations: Readonly<Record<OperationName, PetOperation>> = {
  listPets: { method: 'GET', path: '/v1/pets', successStatus: 200, handle: handleListPets },
  createPet: { method: 'POST', path: '/v1/pets', successStatus: 201, handle: handleCreatePet },
  getPet: {
    method: 'GET',
    path: '/v1/pets/:petId',
    successStatus: 200,
    // RFC 9745, 8594 and 5829. The Link is relative, so that it works behind any path prefix.
    headers: {
      Deprecation: '@1795046400',
      Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
      Link: '<../pets>; rel="successor-version"',
    },
    handle: handleGetPet,
  },
};

/** Methods of a request to an operation. HEAD mirrors GET. */
export const methodsOf = ({ method }: PetOperation): ReadonlyArray<string> =>
  method === 'GET' ? ['GET', 'HEAD'] : [method];

export const petMethods: ReadonlyArray<string> = [
  ...new Set(Object.values(petOperations).flatMap(methodsOf)),
];

export const operationsHint = 'the operations on animals are under /v1';
