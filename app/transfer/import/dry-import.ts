import * as TE from 'fp-ts/TaskEither';
import { importAborted, type ImportPets } from '../../../core';

/** Takes animals as an import does, and only counts them. */
export const dryImport: ImportPets = (newPets) =>
  TE.tryCatch(async () => {
    const source = newPets[Symbol.asyncIterator]();
    let count = 0;
    while ((await source.next()).done !== true) count += 1;
    return count;
  }, importAborted);
