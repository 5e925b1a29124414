import * as TE from 'fp-ts/TaskEither';
import { importAborted, type ImportPets } from '../../core';

/** Takes animals as an import does, and only counts them. */
export const dryImport: ImportPets = (newPets) =>
  TE.tryCatch(async () => {
    let count = 0;
    for await (const newPet of newPets) count += Number(newPet.name.length >= 0);
    return count;
  }, importAborted);
