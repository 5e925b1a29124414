import type { PetFilters } from '../../../core';
import type { Database } from '../database/database';
import { idOfRow, type PetRow } from '../database/pet-columns';

const leastId = -(2n ** 63n);

/** Some value of each filter, there or not. */
const anyOfEach: { readonly [Field in keyof PetFilters]-?: PetFilters } = {
  status: { status: 'available' },
};

/** Asks for the first animals in each way in which clients do, and answers with them as they are stored. */
export const readAnimals = async (
  { reads, petStatements }: Pick<Database, 'reads' | 'petStatements'>,
  limit: number,
): Promise<ReadonlyArray<PetRow>> => {
  const [rows = []] = await petStatements.pages(reads, [{ from: leastId, filters: {} }], limit);
  for (const filters of Object.values(anyOfEach)) {
    await petStatements.pages(reads, [{ from: leastId, filters }], limit);
  }
  // There is always one to ask for, if in vain.
  await petStatements.byIds(reads, [leastId, ...rows.map((row) => BigInt(idOfRow(row)))]);
  return rows;
};
