import { storeOpener, type Pet } from 'animal-store/core';
import { inMemoryApiKeys, inMemoryPetRepository } from 'animal-store/in-memory';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';

const key = 'the-key-of-this-program';

const openStore = storeOpener({
  pets: inMemoryPetRepository(),
  authenticate: inMemoryApiKeys([['shelter', key]]).authenticate,
});

const inWords = ({ id, name, categoryId, status }: Pet): string =>
  `${id}: ${name}, of category ${categoryId}, ${status ?? 'without a status'}`;

/** Adds an animal from untrusted input, and lists all animals. */
const addAndList = (input: unknown) =>
  pipe(
    openStore(key),
    TE.tap((store) => store.createPet(input)),
    TE.flatMap((store) => store.listPets()),
    TE.map(({ pets }) => pets.map(inWords)),
  );

console.log(await addAndList({ name: 'Rex', categoryId: 7, status: 'available' })());
console.log(await addAndList({ name: 'Tom', categoryId: 9007199254740993n })());
console.log(await addAndList({ name: 'Ada', categoryId: '7' })());
