import { int64FromText } from '../../../core';
import * as E from 'fp-ts/Either';
import { serialisePet } from '../../json';
import { type PetContext, succeed } from '../context';
import { fail } from '../errors';

/**
 * Handles `GET /v1/pets/:petId`, for the operation `getPet` in operations.ts.
 * @deprecated The API removes this operation on 5 December 2030.
 */
export const handleGetPet = async (context: PetContext): Promise<void> => {
  const id = int64FromText(context.params['petId'] ?? '');
  if (id === undefined) {
    fail(context, { _tag: 'PetNotFound' });
    return;
  }
  const { store, deadline } = context.state;
  const found = await store.getPet(id, deadline)();
  if (E.isLeft(found)) fail(context, found.left);
  else succeed(context, serialisePet(found.right));
};
