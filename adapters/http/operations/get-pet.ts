import * as E from 'fp-ts/Either';
import { int64FromText } from '../../../core';
import { serializePet } from '../../json';
import type { Handler } from './pet-request';
import { jsonReply } from './reply';

/**
 * Handles `GET /v1/pets/:petId`. An id that is not an int64 gets a 404, too, because no animal can have it.
 * @deprecated The operation will be removed on 5 December 2030.
 */
export const handleGetPet: Handler = async (store, { petIdText, record }) => {
  const id = int64FromText(petIdText);
  if (id === undefined) return E.left({ _tag: 'InvalidPetId' });
  const pet = await store.getPet(id, record.deadline.time)();
  return E.isLeft(pet) ? pet : E.right(jsonReply(200, serializePet(pet.right)));
};
