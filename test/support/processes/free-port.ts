import { once } from 'node:events';
import { createServer } from 'node:net';

/** Some of those that fetch refuses to ask (Fetch, "port blocking"). */
export const portsThatBrowsersBlock = [5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6697, 10080];

const listenOnce = async (port: number): Promise<number> => {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
};

/** A port that nothing listened on a moment ago, one of these if any are given. */
export const freePort = async (ports: ReadonlyArray<number> = [0]): Promise<number> => {
  for (const port of ports) {
    try {
      return await listenOnce(port);
    } catch {
      continue;
    }
  }
  throw new Error('no port is free');
};
