import * as E from 'fp-ts/Either';
import type { ImportedPets, NewPet } from '../../core';
import type { CommandStore } from '../store/with-store';
import { createIdsFile } from './ids';

const unconfirmed =
  'the database did not confirm the commit: either all animals were stored or none; check with `animal-store export` before you import again';

/** Returns how many of the ids from the first to the last don't belong to the import. */
export const otherIds = ({ count, firstId, lastId }: ImportedPets): bigint =>
  firstId === undefined || lastId === undefined ? 0n : lastId - firstId + 1n - BigInt(count);

export const idsText = (imported: ImportedPets): string => {
  const { firstId, lastId } = imported;
  if (firstId === undefined || lastId === undefined) return '';
  const others = otherIds(imported);
  const text =
    firstId === lastId ? ` with the new id ${firstId}` : ` with new ids from ${firstId} to ${lastId}`;
  return others === 0n ? text : `${text}, of which ${others} belong to other animals or to none`;
};

/**
 * Stores animals in one transaction, and writes their ids to the file `ids`. Calls `setRemains` with a text about what
 * is stored after the commit, or if it is unknown whether the commit succeeded.
 */
export const storeAll = async (
  pets: CommandStore['pets'],
  newPets: AsyncIterable<NewPet>,
  ids: string | undefined,
  setRemains: (text: string) => void,
): Promise<ImportedPets> => {
  const idsFile = ids === undefined ? undefined : await createIdsFile(ids);
  const imported = await pets.importAll(newPets, idsFile?.write)();
  if (E.isRight(imported)) {
    setRemains(`all animals were stored${idsText(imported.right)}`);
    await idsFile?.keep();
    return imported.right;
  }
  const { left: failure } = imported;
  if (failure._tag === 'Unavailable') {
    setRemains(unconfirmed);
    await idsFile?.keep();
  } else await idsFile?.discard();
  throw failure.cause;
};
