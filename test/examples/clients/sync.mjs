// Adds the animals of a CSV file, each once, however often it runs: node sync.mjs animals.csv
import { animalStoreClient } from 'animal-store/client';
import { parse } from 'csv-parse/sync';
import { readFileSync } from 'node:fs';

const { BASE_URL: baseUrl, API_KEY: apiKey } = process.env;
const onRetry = ({ attempt, delayMs, error }) =>
  console.error(`attempt ${attempt} failed (${error.message}), next one in ${Math.ceil(delayMs)} ms`);
const animals = animalStoreClient({ baseUrl, apiKey, onRetry, retryForMs: 120_000 });

const rows = parse(readFileSync(process.argv[2]), { columns: true });
for (let done = 0; done < rows.length; done += 50) {
  const creates = rows.slice(done, done + 50).map(({ key, name, categoryId, status }) => {
    const newPet = { name, categoryId, status: status || undefined };
    return animals.create(newPet, { idempotencyKey: `sync-${key}` });
  });
  await Promise.all(creates);
  console.log(`${done + creates.length} of ${rows.length}`);
}
