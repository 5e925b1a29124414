import { createServer, request, type RequestListener } from 'node:http';
import { connect, createServer as createNetServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type Listening, listenOn } from './listen';

/**
 * Returns a listener that forwards requests under a path to a service, without the path and with the headers `more`.
 */
export const forwardBelow =
  (path: string, service: string, more: Readonly<Record<string, string>> = {}): RequestListener =>
  (incoming, outgoing) => {
    const { method, headers, url = '' } = incoming;
    const options = { method, headers: { ...headers, ...more } };
    const forwarded = request(service + url.slice(path.length), options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  };

/** Starts a reverse proxy that serves a service under a path, and removes the path before it forwards a request. */
export const behindPath = async (path: string, service: string): Promise<Listening> => {
  const forward = forwardBelow(path, service);
  const server = createServer((incoming, outgoing) => {
    if (incoming.url?.startsWith(`${path}/`) === true) forward(incoming, outgoing);
    else outgoing.writeHead(404).end();
  });
  const { address, close } = await listenOn(server);
  return { address: address + path, close };
};

/** Starts a proxy that forwards requests. It drops every fourth response after the service has sent it completely. */
export const losingProxy = (target: string): Promise<Listening> => {
  let count = 0;
  return listenOn(
    createServer((incoming, outgoing) => {
      const { method, headers, url = '' } = incoming;
      const forwarded = request(target + url, { method, headers }, (answer) => {
        void buffer(answer).then((body) => {
          count += 1;
          if (count % 4 === 0) outgoing.destroy();
          else outgoing.writeHead(answer.statusCode ?? 502, answer.headers).end(body);
        });
      });
      forwarded.on('error', () => outgoing.destroy());
      incoming.pipe(forwarded);
    }),
  );
};

/** Number of response bytes after which each connection in turn is reset. */
const resetsAfter = [0, 5_000, 1, 20_000, 300, 100_000];

/** Starts a proxy that resets every connection: before a response, at its start or in its middle. */
export const resettingProxy = (target: string): Promise<Listening> => {
  const { hostname, port } = new URL(target);
  let count = 0;
  return listenOn(
    createNetServer((client) => {
      const resetAfter = resetsAfter[(count += 1) % resetsAfter.length] ?? 0;
      let passed = 0;
      const service = connect(Number(port), hostname);
      client.on('data', (chunk) => service.write(chunk));
      service.on('data', (chunk) => {
        passed += chunk.length;
        if (passed > resetAfter) client.resetAndDestroy();
        else client.write(chunk);
      });
      const end = (): void => {
        client.destroy();
        service.destroy();
      };
      for (const socket of [client, service]) socket.on('close', end).on('error', end);
    }),
  );
};
