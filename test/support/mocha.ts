import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { inspect } from 'node:util';
import type { TestRunner } from '../contracts';
import { type PostgresServer, startSharedPostgres } from './postgres/postgres-server';

/**
 * Broker: an HTTP server that starts the shared PostgreSQL server of a test run when a test file first asks for it.
 * Mocha's worker processes find the broker by the variable TEST_POSTGRES_BROKER.
 */

let broker: Server | undefined;
let server: PostgresServer | undefined;
let serverUrl: Promise<string> | undefined;

const startServer = async (): Promise<string> => {
  server = await startSharedPostgres();
  return server.url;
};

export const mochaGlobalSetup = async (): Promise<void> => {
  if (process.env['TEST_POSTGRES_URL'] !== undefined) return;
  broker = createServer((_request, response) => {
    serverUrl ??= startServer();
    serverUrl.then(
      (url) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  }).listen(0, '127.0.0.1');
  await once(broker, 'listening');
  const address = broker.address();
  if (address === null || typeof address === 'string') throw new Error('the broker has no port');
  process.env['TEST_POSTGRES_BROKER'] = `http://127.0.0.1:${address.port}`;
};

export const mochaGlobalTeardown = async (): Promise<void> => {
  broker?.close();
  broker?.closeAllConnections();
  await server?.stop();
};

const survivesJson = (value: unknown): boolean => {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
};

/**
 * Replaces failures that JSON cannot represent, such as those with a bigint, by text. Workers of mocha send failures as
 * JSON, and would otherwise lose the report of the whole file.
 */
export const mochaHooks: Mocha.RootHookObject = {
  afterEach(this: Mocha.Context) {
    const failure = this.currentTest?.err;
    if (failure === undefined) return;
    for (const name of Object.getOwnPropertyNames(failure)) {
      const value: unknown = Reflect.get(failure, name);
      if (!survivesJson(value)) Reflect.set(failure, name, inspect(value, { depth: 8, sorted: true }));
    }
  },
};

/**
 * Returns mocha's functions, but leaves out the tests with these titles, because some adapters cannot pass all tests of
 * a contract suite.
 */
export const runnerWithout = (...titles: ReadonlyArray<string>): TestRunner => ({
  describe,
  it: (title, check) => {
    if (!titles.includes(title)) it(title, check);
  },
});
