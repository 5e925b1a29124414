import type { Task } from 'fp-ts/Task';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Settings } from '../settings/settings';
import { cannotListen, startFailureText } from '../failures/start-failure';
import { finding, type Finding } from './finding';

/** Whether the service could listen, by trying it for a moment. */
export const inspectPort =
  ({ HOST, PORT }: Settings): Task<Finding> =>
  async () => {
    const server = createServer().listen(PORT, HOST);
    try {
      await once(server, 'listening');
      return finding('port', true, PORT === 0 ? `any free one on ${HOST}` : `${PORT} on ${HOST} is free`);
    } catch (cause) {
      return finding('port', false, startFailureText(cannotListen(cause)));
    } finally {
      server.close();
    }
  };
