import * as E from 'fp-ts/Either';
import type { IncomingMessage } from 'node:http';
import { readBody } from '../../../adapters/http/message/request';
import {
  type HttpServer,
  type HttpServerOptions,
  startHttpServer,
} from '../../../adapters/http/server/server';
import type { RejectRequest } from '../../../adapters/http/server/server-state';
import type { Listener } from '../../../adapters/http/server/server-state';
import { describeFailure } from '../../../adapters/http/operations/errors';
import { connectTo, exchangeBytes, type RawConnection } from './raw-connection';

/** Makes a response with the failure as JSON. */
export const rejectRequest: RejectRequest = (failure) => ({
  status: describeFailure(failure).status,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(failure),
});

export interface PlainServer extends HttpServer {
  readonly port: number;
  readonly connect: () => RawConnection;
  /** Sends bytes on a new connection. Returns all that the server sends until it closes the connection. */
  readonly exchange: (bytes: string) => Promise<Buffer>;
}

const running = new Set<HttpServer>();

/** Stops the servers that `startPlainServer` has started. */
export const stopPlainServers = async (): Promise<void> => {
  const left = [...running];
  running.clear();
  await Promise.all(left.map(({ stop }) => stop(0)));
};

/** Serves any listener with the HTTP server of this project, on a free port, until `stopPlainServers`. */
export const startPlainServer = async (
  listener: Listener,
  options: Partial<HttpServerOptions> = {},
): Promise<PlainServer> => {
  const server = await startHttpServer(listener, {
    host: '127.0.0.1',
    port: 0,
    maxConnections: 1_000,
    idleSeconds: 65,
    rejectRequest,
    allowedMethods: [],
    ...options,
  });
  running.add(server);
  const { address } = server;
  return {
    ...server,
    port: Number(new URL(address).port),
    stop: (delayMs) => {
      running.delete(server);
      return server.stop(delayMs);
    },
    connect: () => connectTo(address),
    exchange: (bytes) => exchangeBytes(address, bytes),
  };
};

/** Returns the body of a request to a plain server, or an empty text if the body is incomplete. */
export const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const body = await readBody(request, undefined);
  return E.isRight(body) ? Buffer.from(body.right).toString() : '';
};

/** Returns the status codes of all responses in the received bytes. */
export const statusesIn = (received: Buffer): ReadonlyArray<number> =>
  [...received.toString('latin1').matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));
