import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { pathToFileURL } from 'node:url';
import { placePostgresServer } from './place-postgres-server';

/**
 * Mocha's global fixture. It starts no PostgreSQL: it answers at TEST_POSTGRES_BROKER, and the first test file that
 * asks there for a server starts the one of the whole run. Worker processes inherit the variable.
 */

let broker: Server | undefined;
let serverProcess: ChildProcess | undefined;
let serverUrl: Promise<string> | undefined;

const startServer = async (): Promise<string> => {
  const { folder, script } = await placePostgresServer();
  serverProcess = fork(script, [folder], {
    execArgv: ['--import', pathToFileURL(require.resolve('tsx')).href],
  });
  const told: ReadonlyArray<unknown> = await Promise.race([
    once(serverProcess, 'message'),
    once(serverProcess, 'exit'),
  ]);
  const url = told[0];
  if (typeof url !== 'string')
    throw new Error('PostgreSQL for the tests did not start: standard error says why');
  return url;
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
  if (serverProcess?.connected !== true) return;
  const stopped = once(serverProcess, 'exit');
  serverProcess.disconnect();
  await stopped;
};
