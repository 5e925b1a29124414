import type { NewPet } from '../../core';

/** Yields animals on demand. Calls `before` with the index of each animal, and once at the end. */
export async function* sourceOf(
  newPets: ReadonlyArray<NewPet>,
  before: (index: number) => void | Promise<void> = () => undefined,
): AsyncGenerator<NewPet> {
  for (const [index, newPet] of newPets.entries()) {
    await before(index);
    yield newPet;
  }
  await before(newPets.length);
}
