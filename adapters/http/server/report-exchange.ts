import type { Reporter } from '../observability/reporter';
import { clientAddress } from '../protocol/client-address';
import { isDeprecated } from '../protocol/deprecation';
import { pathOf } from '../protocol/request-target';
import { traceContext } from '../protocol/trace-context';
import { type Exchange, idOf } from './connection';

/** What nginx calls a request whose client closed the connection before there was a response. */
const clientClosedRequest = 499;

/** Tells of an exchange that is over. */
export const reportExchange = (exchange: Exchange, reporter: Reporter, trustedProxies: number): void => {
  const { message, response, outcome, began, ended = performance.now() } = exchange;
  const { traceparent } = message.headers;
  const requestId = idOf(exchange);
  const status = response.headersSent ? response.statusCode : clientClosedRequest;
  const address = clientAddress(message, exchange.connection.address, trustedProxies);
  if (exchange.isRejected) {
    reporter.requestRejected({ requestId, status, clientAddress: address });
    return;
  }
  reporter.requestEnded({
    requestId,
    method: message.method ?? '',
    path: pathOf(exchange.target),
    route: outcome?.route,
    status,
    milliseconds: Math.round((ended - began) * 1000) / 1000,
    keyId: outcome?.caller?.keyId,
    owner: outcome?.caller?.owner,
    isDeprecated: isDeprecated(message),
    trace: typeof traceparent === 'string' ? traceContext(traceparent) : undefined,
    clientAddress: address,
  });
};
