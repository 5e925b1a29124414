import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { errorCode } from '../../../adapters/files/error-code';
import { type CannotListen, CommandFailed } from '../../failures';
import { listenAddressOf, type ServerPrefix, type Settings } from '../../settings/settings';
import { failed, type Finding, passed, warned } from './finding';

/** Maximum time to wait for a health check, as the proxies in `deploy` do. */
export const healthCheckMs = 5_000;

/** Returns the text of a health check on a port, or an empty text without an answer. */
const healthOf = async (port: number, host: string, path: string): Promise<string> => {
  try {
    // `fetch` refuses some ports, such as 6000, which browsers block.
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const signal = AbortSignal.timeout(healthCheckMs);
      get({ host, port, path, signal, agent: false }, resolve).on('error', reject);
    });
    return await text(response);
  } catch {
    // A service that listens only on IPv4 also takes the port from `::`.
    return host === '::' ? healthOf(port, '127.0.0.1', path) : '';
  }
};

/** Listens for a moment on the port of a server, if the settings have one. */
export const listenBriefly =
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

/**
 * Tries to listen on a port. Fails if another program listens there. Passes if a ready animal store does, because a
 * restart replaces it, but fails with `isNewStore`, as a store without tables has no service.
 */
export const checkListenAddress = async (
  settings: Settings,
  prefix: ServerPrefix,
  isNewStore: boolean,
): Promise<ReadonlyArray<Finding>> => {
  const { host, port } = listenAddressOf(settings, prefix);
  if (port === undefined) return [];
  const place = `${prefix}PORT ${port} on ${host}`;
  const tried = await listenBriefly(settings, prefix)();
  if (E.isRight(tried)) return [passed('port', `${place} is free`)];
  if (errorCode(tried.left.cause) !== 'EADDRINUSE') throw new CommandFailed(tried.left);
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
