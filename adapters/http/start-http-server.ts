import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { answerProtocolErrors } from './answer-protocol-errors';

interface Options {
  readonly host: string;
  readonly port: number;
}

export interface HttpServer {
  /** Where it listens, as in `http://127.0.0.1:3000`. */
  readonly address: string;
  /** Takes no more requests, answers those that were received, and cuts off what is left after a while. */
  readonly stop: () => Promise<void>;
}

/** In bytes: RFC 9112, section 3, asks for 8,000 in the request line alone. */
const maxHeaderSize = 16_384;

/** In milliseconds. */
const timeouts = {
  headers: 10_000,
  request: 20_000,
  keepAlive: 65_000,
  silence: 30_000,
  stopping: 10_000,
};

const addressOf = (host: string, bound: ReturnType<Server['address']>): string => {
  const port = typeof bound === 'object' && bound !== null ? bound.port : '';
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
};

/** Listens for HTTP/1.1; rejects when the port can't be had. */
export const startHttpServer = async (
  listener: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  { host, port }: Options,
): Promise<HttpServer> => {
  const server = createServer({
    maxHeaderSize,
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.keepAlive,
    connectionsCheckingInterval: 1_000,
    // Without it the answer to a missing Host has no body; `refusedHead` looks instead.
    requireHostHeader: false,
  });
  server.setTimeout(timeouts.silence);
  answerProtocolErrors(server);

  let stopping = false;
  const unanswered = new Set<ServerResponse>();
  const receive: RequestListener = (request, response) => {
    if (stopping) response.setHeader('Connection', 'close');
    unanswered.add(response);
    response.once('close', () => unanswered.delete(response));
    void listener(request, response);
  };
  server.on('request', receive);
  server.on('checkContinue', receive);
  server.on('checkExpectation', receive);

  server.listen(port, host);
  await once(server, 'listening');
  return {
    address: addressOf(host, server.address()),
    stop: async () => {
      stopping = true;
      for (const response of unanswered) {
        if (!response.headersSent) response.setHeader('Connection', 'close');
      }
      const closed = once(server, 'close');
      server.close();
      const bound = setTimeout(() => {
        server.closeAllConnections();
      }, timeouts.stopping);
      await closed;
      clearTimeout(bound);
    },
  };
};
