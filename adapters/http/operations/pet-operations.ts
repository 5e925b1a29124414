import * as E from 'fp-ts/Either';
import { int64FromText, type OperationName } from '../../../core';
import { serializePet } from '../../json';
import type { HttpFailure } from '../message/failures';
import { createPet } from './create-pet';
import { listPets } from './list-pets';
import type { PetOperation } from './pet-request';
import { jsonReply } from './reply';

/**
 * Operation `GET /v1/pets/:petId`. An id that is not an int64 gets a 404, too, because no animal can have it.
 * @deprecated Will be removed on 5 December 2030.
 */
const getPet: PetOperation = {
  method: 'GET',
  path: '/v1/pets/:petId',
  successStatus: 200,
  // Headers of RFC 9745 and RFC 8594, and a relation of RFC 5829. Link is relative, to work behind any path prefix.
  headers: {
    Deprecation: '@1795046400',
    Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
    Link: '<../pets>; rel="successor-version"',
  },
  handle: async (store, { petIdText, record }) => {
    const id = int64FromText(petIdText);
    if (id === undefined) return E.left({ _tag: 'InvalidPetId' });
    const pet = await store.getPet(id, record.deadline.time)();
    return E.isLeft(pet) ? pet : E.right(jsonReply(getPet.successStatus, serializePet(pet.right)));
  },
};

export const petOperations: Readonly<Record<OperationName, PetOperation>> = { listPets, createPet, getPet };

/** Returns the HTTP methods of an operation: its own method, and HEAD for GET. */
export const methodsOf = ({ method }: PetOperation): ReadonlyArray<string> =>
  method === 'GET' ? ['GET', 'HEAD'] : [method];

export const petMethods: ReadonlyArray<string> = [
  ...new Set(Object.values(petOperations).flatMap(methodsOf)),
];

export const operationsHint = 'the operations on animals are under /v1';

/** Returns MethodNotAllowed if a path allows some methods, otherwise RouteNotFound. */
export const failureOfMethods = (allowed: ReadonlyArray<string>, hint: string): HttpFailure =>
  allowed.length > 0
    ? { _tag: 'MethodNotAllowed', allowed: [...allowed].sort() }
    : { _tag: 'RouteNotFound', hint };
