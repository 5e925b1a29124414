import * as RA from 'fp-ts/ReadonlyArray';
import { inDecimal, PetId } from '../../../core';
import type { Database } from '../database/database';
import { idOfRow, type PetRow } from '../database/pet-columns';

const leastId = -(2n ** 63n);

const idsIn = (texts: ReadonlyArray<string>): ReadonlyArray<PetId> =>
  RA.rights(texts.map((text) => inDecimal(PetId).decode(text)));

/** Asks for the first animals in each way in which clients do, and answers with them as they are stored. */
export const readAnimals = async (
  { reads, petStatements }: Pick<Database, 'reads' | 'petStatements'>,
  limit: number,
): Promise<ReadonlyArray<PetRow>> => {
  const [rows = []] = await petStatements.pages(reads, [{ from: leastId, status: undefined }], limit);
  await petStatements.pages(reads, [{ from: leastId, status: 'available' }], limit);
  // There is always one to ask for, if in vain.
  await petStatements.byIds(reads, idsIn([leastId.toString(), ...rows.map(idOfRow)]));
  return rows;
};
