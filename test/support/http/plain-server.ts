import {
  type ErrorResponse,
  type HttpServer,
  type HttpServerOptions,
  type Listener,
  type ServerFailure,
  startHttpServer,
} from '../../../adapters/http-server';
import { connectTo, type RawConnection } from './raw-connection';

const statuses: Readonly<Record<ServerFailure['_tag'], number>> = {
  MalformedRequest: 400,
  MethodNotAllowed: 405,
  RequestTimeout: 408,
  PayloadTooLarge: 413,
  ExpectationFailed: 417,
  HeadersTooLarge: 431,
  Overloaded: 503,
  DeadlineExceeded: 503,
  HttpVersionNotSupported: 505,
};

/** Makes a response with the failure as JSON. */
export const errorResponse = (failure: ServerFailure): ErrorResponse => ({
  status: statuses[failure._tag],
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(failure),
});

export interface PlainServer extends HttpServer {
  readonly port: number;
  readonly connect: () => RawConnection;
}

/** Serves any listener with the HTTP server of this project, on a free port. */
export const startPlainServer = async (
  listener: Listener,
  options: Partial<HttpServerOptions> = {},
): Promise<PlainServer> => {
  const server = await startHttpServer(listener, {
    host: '127.0.0.1',
    port: 0,
    maxInFlight: 10,
    maxWaitMs: 1_000,
    errorResponse,
    ...options,
  });
  const port = Number(new URL(server.address).port);
  return { ...server, port, connect: () => connectTo(server.address) };
};

/** Returns the status codes of all responses in the received bytes. */
export const statusesIn = (received: Buffer): ReadonlyArray<number> =>
  [...received.toString('latin1').matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));

/** Returns the text of a GET without a body. `headers` are additional header lines. */
export const getRequest = (path: string, ...headers: ReadonlyArray<string>): string =>
  [`GET ${path} HTTP/1.1`, 'Host: a', ...headers, '', ''].join('\r\n');

/** Returns the text of a POST with a Content-Length. */
export const postRequest = (path: string, body: string, ...headers: ReadonlyArray<string>): string =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: a',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
    '',
    body,
  ].join('\r\n');
