import { embeddedClient, openAnimalStore } from 'animal-store/core';
import { inMemoryApiKeys, inMemoryPetRepository } from 'animal-store/in-memory';

const apiKey = 'the-key-of-this-program';
const { authenticate } = inMemoryApiKeys([['shelter', apiKey]]);
const openStore = openAnimalStore({ pets: inMemoryPetRepository(), authenticate });
const animals = embeddedClient({ openStore, apiKey });

const addAndList = async (): Promise<void> => {
  await animals.create({ name: 'Rex', categoryId: 7, status: 'available' });
  for await (const { id, name } of animals.list({ status: 'available' })) console.log(`${id}: ${name}`);
};

void addAndList();
