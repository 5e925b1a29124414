import type { PetContext, Route } from './context';
import { handleCreatePet } from './handlers/create-pet';
import { handleGetPet } from './handlers/get-pet';
import { handleListPets } from './handlers/list-pets';

/** Operation under /v1. `operationId` is its name in openapi.json. */
export interface PetOperation extends Route {
  readonly operationId: string;
  readonly handle: (context: PetContext) => Promise<void>;
}

export const petOperations: ReadonlyArray<PetOperation> = [
  {
    operationId: 'listPets',
    method: 'GET',
    path: '/v1/pets',
    successStatus: 200,
    handle: handleListPets,
  },
  {
    operationId: 'createPet',
    method: 'POST',
    path: '/v1/pets',
    successStatus: 201,
    handle: handleCreatePet,
  },
  {
    operationId: 'getPet',
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
];

export const petMethods = [
  ...new Set(petOperations.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))),
];
