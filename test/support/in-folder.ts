import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Gives a new empty folder, which is gone afterwards. */
export const inFolder = async <A>(use: (folder: string) => Promise<A>): Promise<A> => {
  const folder = await mkdtemp(join(tmpdir(), 'animal-store-fault-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
};
