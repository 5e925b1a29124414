import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

/** An empty database of a test file's own. */
export interface PostgresDatabase {
  readonly url: string;
  readonly drop: () => Promise<void>;
}

/** TEST_POSTGRES_URL, or the server that the run starts for whom asks first. */
const serverUrl = async (): Promise<string> => {
  const { TEST_POSTGRES_URL: given, TEST_POSTGRES_BROKER: broker } = process.env;
  if (given !== undefined) return given;
  if (broker === undefined)
    throw new Error('run it by mocha with its .mocharc.json, or set TEST_POSTGRES_URL');
  const answer = await fetch(broker);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
};

const runOn = async (url: string, sql: string): Promise<void> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
};

/** Makes a database on the run's PostgreSQL server, as `options` of the statement say. The first call of a run takes some seconds. */
export const createPostgresDatabase = async (options = ''): Promise<PostgresDatabase> => {
  const server = await serverUrl();
  const name = `animal_store_test_${randomBytes(8).toString('hex')}`;
  await runOn(server, `create database ${name} ${options}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => runOn(server, `drop database ${name} with (force)`) };
};
