import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders = new Set<string>();

/** Makes a new empty folder, which `removeFolders` deletes later. */
export const makeFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'animal-store-'));
  folders.add(folder);
  return folder;
};

export const removeFolders = async (): Promise<void> => {
  const left = [...folders];
  folders.clear();
  await Promise.all(left.map((folder) => rm(folder, { recursive: true })));
};

/** Returns the path of a SQLite file that does not exist yet, in a new folder. */
export const newDatabaseFile = async (): Promise<string> => join(await makeFolder(), 'animals.sqlite3');

/** Runs a function with a new empty folder, and deletes the folder afterwards. */
export const inFolder = async <A>(use: (folder: string) => Promise<A>): Promise<A> => {
  const folder = await mkdtemp(join(tmpdir(), 'animal-store-fault-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
};
