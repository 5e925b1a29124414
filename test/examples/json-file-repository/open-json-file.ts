import type { OpenPetRepository } from 'animal-store/testing';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jsonFileRepository } from './json-file-repository';

/** Opens a repository on a new file. `close` deletes the folder of the file. */
export const openJsonFile: OpenPetRepository = async ({ pets, now }) => {
  const folder = await mkdtemp(join(tmpdir(), 'animals-'));
  const file = join(folder, 'animals.json');
  const ascending = [...pets].sort((one, other) => (one.id < other.id ? -1 : 1));
  const text = JSON.stringify({ pets: ascending, keys: [] }, (_name, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  await writeFile(file, text);
  return {
    repository: jsonFileRepository(file, now),
    close: () => rm(folder, { recursive: true }),
  };
};
