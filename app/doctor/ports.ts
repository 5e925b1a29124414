import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { failureText } from '../failures';
import type { Settings } from '../settings';
import { type CheckResult, failed, passed } from './check-result';

export const requestTimeoutMs = 6_000;

/**
 * True if an animal store answers at this address. Does not use `fetch`, which refuses many ports (Fetch Standard,
 * "port blocking").
 */
const isAnimalStore = async (host: string, port: number): Promise<boolean> => {
  const signal = AbortSignal.timeout(requestTimeoutMs);
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get({ host, port, path: '/livez', agent: false, signal }, resolve).on('error', reject);
    });
    return (await text(response)) === '{"status":"live"}';
  } catch {
    return false;
  }
};

const inspectPort = async (
  { DATABASE_URL }: Settings,
  host: string,
  port: number,
  prefix: '' | 'ADMIN_',
): Promise<CheckResult> => {
  const place = `${prefix}PORT ${port} on ${host}`;
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
    return passed('port', `${place} is ${port === 0 ? 'any free port' : 'free'}`);
  } catch (cause) {
    return (await isAnimalStore(host, port))
      ? passed('port', `${place} is in use by a running animal store`)
      : failed('port', failureText({ _tag: 'CannotListen', cause, prefix }, DATABASE_URL));
  } finally {
    server.close();
  }
};

/** Checks that `serve` can listen on its ports, or already does; doctor.ts calls it. */
export const inspectPorts = (settings: Settings): Promise<ReadonlyArray<CheckResult>> => {
  const { HOST, PORT, ADMIN_HOST, ADMIN_PORT } = settings;
  return Promise.all([
    inspectPort(settings, HOST, PORT, ''),
    ...(ADMIN_PORT === undefined ? [] : [inspectPort(settings, ADMIN_HOST, ADMIN_PORT, 'ADMIN_')]),
  ]);
};
