import Database from 'better-sqlite3';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from './postgres-server.js';
import { createSqliteFile } from './sqlite-file.js';

/** Holds the largest database, 1.3 GB; beyond its own buffers PostgreSQL copies each page from the system's cache. */
export const sharedBuffers = '2GB';

const forgetCreated = (count) => `delete from pets where id > ${count}`;

const sqliteDatabases = async (counts, directory) => {
  const databases = {};
  for (const count of counts) {
    const filename = join(directory, `${count}.sqlite3`);
    databases[count] = {
      key: await createSqliteFile(filename, count),
      databaseUrl: `sqlite:${filename}`,
      reset: async () => {
        const database = new Database(filename);
        database.exec(forgetCreated(count));
        database.close();
      },
    };
  }
  return { databases, stop: async () => undefined };
};

const postgresDatabases = async (counts, directory) => {
  const server = await startPostgres(join(directory, 'postgres'), ['-c', `shared_buffers=${sharedBuffers}`]);
  const databases = {};
  for (const count of counts) {
    const databaseUrl = server.urlOf(`animals_${count}`);
    databases[count] = {
      key: await server.createDatabases([`animals_${count}`], count),
      databaseUrl,
      reset: async () => {
        const client = new pg.Client({ connectionString: databaseUrl });
        await client.connect();
        await client.query(forgetCreated(count));
        await client.query('vacuum pets');
        await client.end();
      },
    };
  }
  return { databases, stop: server.stop };
};

/** A database of each size; `reset` takes out what was created since. */
export const scaleDatabases = (kind, counts, directory) =>
  (kind === 'sqlite' ? sqliteDatabases : postgresDatabases)(counts, directory);
