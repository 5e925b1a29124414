import type { Reporter, RequestRecord } from '../observability/reporter';
import { clientAddress } from '../protocol/client-address';
import { isDeprecated } from '../protocol/deprecation';
import { pathOf } from '../protocol/path-of';
import { traceContext } from '../protocol/trace-context';
import { type Exchange, idOf } from './connection';

/** What nginx calls a request whose client closed the connection before there was a response. */
const clientClosedRequest = 499;

/** The record of an exchange that is over. */
const requestRecord = (exchange: Exchange, trustedProxies: number): RequestRecord => {
  const { message, response, outcome, target, began, connection } = exchange;
  const { traceparent } = message.headers;
  return {
    requestId: idOf(exchange),
    method: message.method ?? '',
    path: pathOf(target),
    route: outcome?.route,
    status: response.headersSent ? response.statusCode : clientClosedRequest,
    milliseconds: Math.round((performance.now() - began) * 1000) / 1000,
    keyId: outcome?.caller?.keyId,
    owner: outcome?.caller?.owner,
    isDeprecated: isDeprecated(message),
    trace: typeof traceparent === 'string' ? traceContext(traceparent) : undefined,
    clientAddress: clientAddress(message, connection.address, trustedProxies),
  };
};

/** Tells of an exchange that is over. */
export const reportExchange = (exchange: Exchange, reporter: Reporter, trustedProxies: number): void => {
  const record = requestRecord(exchange, trustedProxies);
  if (!exchange.isRejected) reporter.requestEnded(record);
  else {
    const { requestId, clientAddress } = record;
    reporter.requestRejected({ requestId, status: exchange.response.statusCode, clientAddress });
  }
};
