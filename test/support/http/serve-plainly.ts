import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** Serves a listener, such as Koa's callback, by Node's own server, on a free port of loopback. */
export const servePlainly = async (
  listener: (request: IncomingMessage, response: ServerResponse) => unknown,
) => {
  const server = createServer((request, response) => void listener(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  return {
    address: `http://127.0.0.1:${port}`,
    stop: (): void => {
      server.close();
      server.closeAllConnections();
    },
  };
};
