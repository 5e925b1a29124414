import type { Task } from 'fp-ts/Task';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Settings } from '../settings/settings';
import { cannotListen, startFailureText } from '../failures/start-failure';
import { finding, type Finding } from './finding';

/** In milliseconds. */
const timeoutMs = 2_000;

/** Whether an animal store answers there, by its `/livez`. */
const isAnimalStore = async ({ HOST, PORT }: Settings): Promise<boolean> => {
  try {
    const response = await fetch(`http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${PORT}/livez`, {
      signal: AbortSignal.timeout(timeoutMs),
    });
    return (await response.text()) === '{"status":"live"}';
  } catch {
    return false;
  }
};

/** Whether the service could listen, by trying it for a moment, or listens already. */
export const inspectPort =
  (settings: Settings): Task<Finding> =>
  async () => {
    const { HOST, PORT } = settings;
    const server = createServer().listen(PORT, HOST);
    try {
      await once(server, 'listening');
      return finding('port', true, PORT === 0 ? `any free one on ${HOST}` : `${PORT} on ${HOST} is free`);
    } catch (cause) {
      return (await isAnimalStore(settings))
        ? finding('port', true, `${PORT} on ${HOST} is taken by an animal store that runs`)
        : finding('port', false, startFailureText(cannotListen(cause)));
    } finally {
      server.close();
    }
  };
