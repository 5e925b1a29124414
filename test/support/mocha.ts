import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { inspect } from 'node:util';
import { type PostgresServer, startSharedPostgres } from './postgres/postgres-server';

/**
 * Mocha's global fixture. It starts no PostgreSQL: it answers at TEST_POSTGRES_BROKER, and the first test file that
 * asks there for a server starts the one of the whole run. Worker processes inherit the variable.
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
 * Mocha's workers hand failures over as JSON, which knows no bigint: a failure that holds one would take the report
 * of its whole file away. What JSON refuses is handed over in words.
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
