import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { exceptionCode } from '../../../adapters/failures/exception-code';
import { type CannotListen, CommandFailed, orFail, reasonOf } from '../../failures';
import { listenAddressOf, type ServerPrefix, type Settings } from '../../settings/settings';
import { type CheckName, failed, type Findings, passed, warned } from './finding';
import type { Start } from './start';

/** Listens for a moment on each port of the settings. Throws CannotListen if it can't. */
export const requireFreePorts = async ({ settings }: Start): Promise<Findings> => {
  for (const prefix of ['ADMIN_', ''] as const) await orFail(listenBriefly(settings, prefix));
  return [];
};

/**
 * Tries to listen on each port of the settings. Fails if another program listens there. Passes if a ready animal store
 * listens, because a restart replaces it. Fails if a store listens although this database has no tables: the store then
 * uses another database, and a start would not replace it.
 */
export const checkPorts = async (
  { settings, isNewFile, hasDatabase, readSchema }: Start,
  passedStages: ReadonlySet<CheckName>,
): Promise<Findings> => {
  const isNewStore =
    isNewFile || (hasDatabase && passedStages.has('schema') && (await readSchema()).generation === 0);
  return [
    ...(await checkPort(settings, '', isNewStore)),
    ...(await checkPort(settings, 'ADMIN_', isNewStore)),
  ];
};

const checkPort = async (
  settings: Settings,
  prefix: ServerPrefix,
  isNewStore: boolean,
): Promise<Findings> => {
  const { host, port } = listenAddressOf(settings, prefix);
  if (port === undefined) return [];
  const place = `${prefix}PORT ${port} on ${host}`;
  const tried = await listenBriefly(settings, prefix)();
  if (E.isRight(tried)) return [passed('port', `${place} is free`)];
  if (exceptionCode(tried.left.cause) !== 'EADDRINUSE')
    return [failed('port', reasonOf(new CommandFailed(tried.left), settings.DATABASE_URL))];
  if ((await healthOf(port, host, '/livez')).includes('"live"')) {
    if (isNewStore) {
      const running = `${place} is that of another running animal store, as this database has no tables yet`;
      return [failed('port', `${running}; \`serve\` fails until you stop that store, or set ${prefix}PORT`)];
    }
    const running = `${place} is that of a running animal store`;
    return (await healthOf(port, host, '/readyz')).includes('"ready"')
      ? [passed('port', `${running}, which a restart replaces; to serve another one, set ${prefix}PORT`)]
      : [warned('port', `${running}, which is not ready; if you have changed its settings, restart it`)];
  }
  const advice = `\`serve\` fails until you stop the program that listens there, or set ${prefix}PORT; if it is an animal store, it hangs`;
  return [failed('port', `${place} is in use; ${advice}`)];
};

/** Listens for a moment on the port of a server, if the settings have one. */
const listenBriefly =
  (settings: Settings, prefix: ServerPrefix): TaskEither<CannotListen, void> =>
  async () => {
    const { host, port } = listenAddressOf(settings, prefix);
    if (port === undefined) return E.right(undefined);
    const server = createServer((socket) => socket.destroy()).listen(port, host);
    try {
      await once(server, 'listening');
      return E.right(undefined);
    } catch (cause) {
      return E.left({ _tag: 'CannotListen', cause, prefix });
    } finally {
      server.close();
    }
  };

/** Maximum time to wait for a health check. The proxies in `deploy` wait as long. */
export const healthCheckMs = 5_000;

/** Returns the text of a health check on a port, or an empty text without an answer. */
const healthOf = async (port: number, host: string, path: string): Promise<string> => {
  try {
    // Uses `get` of `node:http`, because `fetch` refuses the ports that browsers block, such as 6000.
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const signal = AbortSignal.timeout(healthCheckMs);
      get({ host, port, path, signal, agent: false }, resolve).on('error', reject);
    });
    return await text(response);
  } catch {
    // Asks 127.0.0.1 too, because a service that listens only on IPv4 also takes the port from `::`.
    return host === '::' ? healthOf(port, '127.0.0.1', path) : '';
  }
};
