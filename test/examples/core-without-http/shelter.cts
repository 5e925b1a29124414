import { ApiKey, decodeOrThrow, KeyId, NewPet, openAnimalStore, PageSize } from 'animal-store/core';
import { inMemoryApiKeys, inMemoryPetRepository } from 'animal-store/in-memory';

// Without fp-ts: an operation is a function that gives a promise, of `left` (a failure) or `right` (an answer).

const key = decodeOrThrow(ApiKey, 'the-key-of-this-program');

const openStore = openAnimalStore({
  pets: inMemoryPetRepository(),
  authenticate: inMemoryApiKeys([[decodeOrThrow(KeyId, 'shelter'), key]]).authenticate,
});

const addAndList = async (): Promise<string> => {
  const opened = await openStore(key)();
  if (opened._tag === 'Left') return `not opened: ${opened.left._tag}`;
  const { createPet, listPets } = opened.right;

  const rex = decodeOrThrow(NewPet, { name: 'Rex', categoryId: 7, status: 'available' });
  const created = await createPet(rex)();
  if (created._tag === 'Left') return `not created: ${created.left._tag}`;

  const listed = await listPets({ limit: decodeOrThrow(PageSize, 20), status: 'available' })();
  if (listed._tag === 'Left') return `not listed: ${listed.left._tag}`;
  return listed.right.pets.map(({ id, name }) => `${id}: ${name}`).join('\n');
};

void addAndList().then(console.log);
