import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgresDatabase } from '../postgres/postgres';

/** A store that the service is tested on: `open` gives a new, empty one. */
export type TestStore = Readonly<{
  name: string;
  open: () => Promise<Readonly<{ databaseUrl: string; dispose: () => Promise<void> }>>;
}>;

/** For what makes no difference between stores. */
export const inMemory: TestStore = {
  name: 'in-memory',
  open: () => Promise.resolve({ databaseUrl: 'memory:', dispose: () => Promise.resolve() }),
};

const sqlite: TestStore = {
  name: 'SQLite',
  open: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'animal-store-'));
    return {
      databaseUrl: `sqlite:${join(folder, 'animals.sqlite3')}`,
      dispose: () => rm(folder, { recursive: true }),
    };
  },
};

const postgres: TestStore = {
  name: 'PostgreSQL',
  open: async () => {
    const { url, drop } = await createPostgresDatabase();
    return { databaseUrl: url, dispose: drop };
  },
};

/** Every store that the end-to-end tests run on. */
export const stores: ReadonlyArray<TestStore> = [inMemory, sqlite, postgres];
