// Adds 100 animals and lists all of them: node client.mjs http://127.0.0.1:3000 KEY
import { animalStoreClient } from 'animal-store/client';

const [baseUrl, apiKey] = process.argv.slice(2);
// The default, 10 s for a create, may be too short for a restart of the service.
const animals = animalStoreClient({ baseUrl, apiKey, retryForMs: 60_000 });

for (let number = 1; number <= 100; number += 1) {
  await animals.create({ name: `animal ${number}`, categoryId: 9007199254740993n });
}
let count = 0;
for await (const pet of animals.list()) if (pet.categoryId === 9007199254740993n) count += 1;
console.log(count);
