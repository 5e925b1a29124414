import type { NewPet } from '../../core';

/** Gives each animal when it is asked for, and calls back before it does, and once more when no more will come. */
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
