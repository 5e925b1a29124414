import { once } from 'node:events';
import { createServer, request } from 'node:http';

export interface Proxy {
  /** As in `http://127.0.0.1:3000/store`. */
  readonly address: string;
  readonly stop: () => Promise<void>;
}

/** A reverse proxy that puts a service under a path, which it takes off before it asks. */
export const behindPath = async (path: string, service: string): Promise<Proxy> => {
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = '' } = incoming;
    if (!url.startsWith(`${path}/`)) {
      outgoing.writeHead(404).end();
      return;
    }
    const forwarded = request(service + url.slice(path.length), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  return {
    address: `http://127.0.0.1:${port}${path}`,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
