import { once } from 'node:events';
import { createServer } from 'node:net';
import { errorCode } from '../error-code';
import { failureText } from '../failure-text';
import type { DatabaseUrl } from '../settings/database-url';
import { failed, type Finding, type Opening, passed, warned } from './opening';

/** Tries to listen on a port. A port in use is only a warning, because the service itself may be using it. */
const tryPort = async (
  host: string,
  port: number,
  prefix: '' | 'ADMIN_',
  url: DatabaseUrl,
): Promise<Finding> => {
  const place = `${prefix}PORT ${port} on ${host}`;
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
    return passed('port', `${place} is free`);
  } catch (cause) {
    return errorCode(cause) === 'EADDRINUSE'
      ? warned(
          'port',
          `${place} is in use; if another program than the service listens there, \`serve\` fails until you stop it or set ${prefix}PORT`,
        )
      : failed('port', failureText({ _tag: 'CannotListen', cause, prefix }, url));
  } finally {
    server.close();
  }
};

export const tryPorts = ({ settings }: Opening): Promise<ReadonlyArray<Finding>> => {
  const { HOST, PORT, ADMIN_HOST, ADMIN_PORT, DATABASE_URL } = settings;
  return Promise.all([
    tryPort(HOST, PORT, '', DATABASE_URL),
    ...(ADMIN_PORT === undefined ? [] : [tryPort(ADMIN_HOST, ADMIN_PORT, 'ADMIN_', DATABASE_URL)]),
  ]);
};
