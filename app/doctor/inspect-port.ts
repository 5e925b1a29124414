import type { Task } from 'fp-ts/Task';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Settings } from '../settings/settings';
import { cannotListen, startFailureText } from '../failures/start-failure';
import { type CheckResult, failed, passed } from './check-result';

/** In milliseconds. */
const timeoutMs = 2_000;

/** Whether an animal store answers there, by its `/livez`. Not by fetch, which refuses many a port (Fetch, "port blocking"). */
const isAnimalStore = async (host: string, port: number): Promise<boolean> => {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get({ host, port, path: '/livez', agent: false, signal }, resolve).on('error', reject);
    });
    return (await text(response)) === '{"status":"live"}';
  } catch {
    return false;
  }
};

const tryToListen = async (host: string, port: number, prefix: '' | 'ADMIN_'): Promise<CheckResult> => {
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
    return passed('port', port === 0 ? `any free one on ${host}` : `${port} on ${host} is free`);
  } catch (cause) {
    return (await isAnimalStore(host, port))
      ? passed('port', `${port} on ${host} is taken by an animal store that runs`)
      : failed('port', startFailureText(cannotListen(prefix)(cause)));
  } finally {
    server.close();
  }
};

/** Whether the service could listen where it is told to, by trying it for a moment, or listens there already. */
export const inspectPorts =
  ({ HOST, PORT, ADMIN_HOST, ADMIN_PORT }: Settings): Task<ReadonlyArray<CheckResult>> =>
  () =>
    Promise.all([
      tryToListen(HOST, PORT, ''),
      ...(ADMIN_PORT === undefined ? [] : [tryToListen(ADMIN_HOST, ADMIN_PORT, 'ADMIN_')]),
    ]);
