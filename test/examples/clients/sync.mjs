// Adds the animals of a CSV file, each once, however often it runs: node sync.mjs animals.csv
import { animalStoreClient } from 'animal-store/client';
import { readFileSync } from 'node:fs';

const animals = animalStoreClient({
  baseUrl: process.env.BASE_URL,
  apiKey: process.env.API_KEY,
  retryForMs: 120_000,
  onRetry: ({ attempt, error }) => console.error(`attempt ${attempt} failed: ${error.message}`),
});
const [, ...rows] = readFileSync(process.argv[2], 'utf8').trim().split('\n');
for (let done = 0; done < rows.length; done += 50) {
  const creates = rows.slice(done, done + 50).map((row) => {
    const [key, name, categoryId] = row.split(',');
    return animals.create({ name, categoryId }, { idempotencyKey: `sync-${key}` });
  });
  await Promise.all(creates);
  console.log(`${done + creates.length} of ${rows.length}`);
}
