import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';

export interface Listening {
  /** Address such as `http://127.0.0.1:3000`. */
  readonly address: string;
  readonly close: () => Promise<void>;
}

/** Makes a server listen on a free port of the loopback interface. */
export const listenOn = async (server: Server): Promise<Listening> => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  return {
    address: `http://127.0.0.1:${port}`,
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
};

/** Serves a listener, such as Koa's callback, with Node's own HTTP server on a free port of the loopback interface. */
export const servePlainly = (
  listener: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<Listening> => listenOn(createServer((request, response) => void listener(request, response)));
