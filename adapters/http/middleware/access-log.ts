import type { IncomingMessage } from 'node:http';
import type { Middleware } from '../context';
import { clientAddressOf, recordRequest, type Reporter } from '../request-record';

/** Status that nginx logs if the client closed the connection before the response. */
const clientClosedRequest = 499;

interface Options {
  readonly trustedProxies: number;
  readonly arrivedAt: ((request: IncomingMessage) => number | undefined) | undefined;
}

export const accessLog =
  (reporter: Reporter, { trustedProxies, arrivedAt }: Options): Middleware =>
  (context, next) => {
    const { req: request, res: response, path, state } = context;
    const began = arrivedAt?.(request) ?? performance.now();
    // Read now, since a closed socket has no address.
    const clientAddress = clientAddressOf(request, trustedProxies);
    const report = (): void => {
      const status = response.headersSent ? response.statusCode : clientClosedRequest;
      reporter.requestEnded(recordRequest({ request, status, arrivedAt: began, path, clientAddress, state }));
    };
    // Node emits 'close' after 'finish' too, so one listener is enough.
    response.once('close', report);
    return next();
  };
