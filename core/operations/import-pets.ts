import type { TaskEither } from 'fp-ts/TaskEither';
import type { ImportAborted, Unavailable } from '../ports/failures';
import type { NewPet } from '../pets/new-pet';

/**
 * Adds all animals of a source, or none of them, and answers with how many. ImportAborted: none is stored.
 * Unavailable: the store didn't confirm, so that either all are stored or none.
 */
export type ImportPets = (newPets: AsyncIterable<NewPet>) => TaskEither<ImportAborted | Unavailable, number>;
