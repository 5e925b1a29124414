import { AnimalStoreError, embeddedClient, openAnimalStore } from 'animal-store/core';
import { inMemoryApiKeys, inMemoryPetRepository } from 'animal-store/in-memory';

const apiKey = 'the-key-of-this-program';
const { authenticate } = inMemoryApiKeys([['shelter', apiKey]]);
const openStore = openAnimalStore({ pets: inMemoryPetRepository(), authenticate });

/** Adds an animal with an API key, and returns its id or the code of the failure. */
const add = async (withApiKey: string, name: string, idempotencyKey: string): Promise<string> => {
  try {
    const animals = embeddedClient({ openStore, apiKey: withApiKey });
    const { id } = await animals.create({ name, categoryId: 7, status: 'available' }, { idempotencyKey });
    return `${name} is animal ${id}`;
  } catch (error) {
    if (!(error instanceof AnimalStoreError)) throw error;
    return error.code;
  }
};

const addAndList = async (): Promise<void> => {
  console.log(await add('another-key', 'Rex', 'order 1'));
  console.log(await add(apiKey, 'Rex', 'order 1'));
  console.log(await add(apiKey, 'Rex', 'order 1'));
  console.log(await add(apiKey, 'Tom', 'order 1'));
  const animals = embeddedClient({ openStore, apiKey });
  for await (const { id, name } of animals.list({ status: 'available' })) console.log(`${id}: ${name}`);
};

void addAndList();
