import { once } from 'node:events';
import { createServer } from 'node:net';
import { errorCode } from '../error-code';
import { CommandFailed } from '../failures';
import { failed, type Finding, type Opening, passed } from './opening';

const answerMs = 2_000;

/** Reports whether an animal store answers on a port. */
const isServed = async (port: number, host: string): Promise<boolean> => {
  try {
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/livez`;
    const response = await fetch(url, { signal: AbortSignal.timeout(answerMs) });
    return response.ok && (await response.text()).includes('"live"');
  } catch {
    return false;
  }
};

/** Tries to listen on a port. Passes if an animal store answers there, and fails if another program does. */
export const tryPort =
  (prefix: '' | 'ADMIN_') =>
  async ({ settings }: Opening): Promise<ReadonlyArray<Finding>> => {
    const host = settings[`${prefix}HOST` as const];
    const port = settings[`${prefix}PORT` as const];
    if (port === undefined) return [];
    const place = `${prefix}PORT ${port} on ${host}`;
    const server = createServer().listen(port, host);
    try {
      await once(server, 'listening');
      return [passed('port', `${place} is free`)];
    } catch (cause) {
      if (errorCode(cause) !== 'EADDRINUSE') throw new CommandFailed({ _tag: 'CannotListen', cause, prefix });
      if (await isServed(port, host)) return [passed('port', `${place} is that of a running animal store`)];
      const advice = `\`serve\` fails until you stop the program that listens there, or set ${prefix}PORT`;
      return [failed('port', `${place} is in use; ${advice}`)];
    } finally {
      server.close();
    }
  };
