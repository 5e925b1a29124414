import type { Task } from 'fp-ts/Task';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Settings } from '../settings/settings';
import {
  cannotListen,
  cannotListenForAdmin,
  type StartFailure,
  startFailureText,
} from '../failures/start-failure';
import { finding, type Finding } from './finding';

interface Address {
  readonly host: string;
  readonly port: number;
}

const tryToListen = async (
  { host, port }: Address,
  toFailure: (cause: unknown) => StartFailure,
): Promise<Finding> => {
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
    return finding('port', true, port === 0 ? `any free one on ${host}` : `${port} on ${host} is free`);
  } catch (cause) {
    return finding('port', false, startFailureText(toFailure(cause)));
  } finally {
    server.close();
  }
};

/** Whether the service could listen where it is told to, by trying it for a moment. */
export const inspectPorts =
  ({ HOST, PORT, ADMIN_HOST, ADMIN_PORT }: Settings): Task<ReadonlyArray<Finding>> =>
  () =>
    Promise.all([
      tryToListen({ host: HOST, port: PORT }, cannotListen),
      ...(ADMIN_PORT === undefined
        ? []
        : [tryToListen({ host: ADMIN_HOST, port: ADMIN_PORT }, cannotListenForAdmin)]),
    ]);
