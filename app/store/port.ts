import { once } from 'node:events';
import { createServer } from 'node:net';
import { errorCode } from '../error-code';
import { CommandFailed } from '../failures';
import { type Finding, type Opening, passed, warned } from './opening';

/** Tries to listen on a port. A port in use is only a warning, because the service itself may be using it. */
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
      const advice = `if another program than the service listens there, \`serve\` fails until you stop it or set ${prefix}PORT`;
      return [warned('port', `${place} is in use; ${advice}`)];
    } finally {
      server.close();
    }
  };
