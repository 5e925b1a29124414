import * as E from 'fp-ts/Either';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type CheckReadiness, isHealthCheck, type Reporter, type RequestRecord } from '../../adapters/http';
import type { DatabaseStatus, RepositoryObserver } from '../../adapters/knex';
import type { PrometheusMetrics, ServiceStatus } from '../../adapters/prometheus';
import type { Backend } from '../backend/backend';
import type { DatabaseAddress } from '../database-address';
import { specificAdvice } from '../failures';

const levelOf = ({ status, route }: RequestRecord): 'error' | 'debug' | 'info' => {
  if (isHealthCheck(route)) return 'debug';
  return status >= 500 ? 'error' : 'info';
};

/**
 * Adds the trace ids of a request to its log line, if the request has any. An undefined `trace_id` would hide the id
 * that OpenTelemetry adds to the line.
 */
const withTrace = (line: object, { trace }: Pick<RequestRecord, 'trace'>): object =>
  trace === undefined ? line : { ...line, trace_id: trace.traceId, parent_id: trace.parentId };

/**
 * Logs one line for each request and each failure, without credentials, query or body. serve.ts calls this function and
 * the others of this file.
 */
export const logReporter = (logger: Logger, address: DatabaseAddress): Reporter => ({
  requestEnded: (record) => {
    // Builds one object literal, because copying the record with rest and spread would take a tenth of a request's
    // time.
    const line = {
      method: record.method,
      path: record.path,
      route: record.route,
      status: record.status,
      code: record.code,
      reason: record.unauthorizedReason,
      milliseconds: record.milliseconds,
      keyId: record.keyId,
      owner: record.owner,
      clientAddress: record.clientAddress,
      requestId: record.requestId,
    };
    logger[levelOf(record)](withTrace(line, record), 'request');
  },
  requestRejected: (record) => {
    const { requestId, status, code, clientAddress } = record;
    logger.info(withTrace({ requestId, status, code, clientAddress }, record), 'rejected');
  },
  error: (cause, requestId) => {
    logger.error({ err: cause, advice: specificAdvice(address, cause), requestId }, 'request failed');
  },
});

export const measuredReporter = (reporter: Reporter, { requests }: PrometheusMetrics): Reporter => ({
  ...reporter,
  requestStarted: requests.started,
  requestRejected: (record) => {
    requests.rejected(record);
    reporter.requestRejected(record);
  },
  requestEnded: (record) => {
    requests.ended(record);
    reporter.requestEnded(record);
  },
});

const refusalLogMs = 10_000;

/** Counts connections above MAX_CONNECTIONS, and logs a warning at most once in 10 s. */
export const refusedConnections = (
  logger: Logger,
  { requests }: PrometheusMetrics,
  maxConnections: number,
): (() => void) => {
  let loggedAt = -Infinity;
  return () => {
    requests.connectionRefused();
    const now = performance.now();
    if (now - loggedAt < refusalLogMs) return;
    loggedAt = now;
    logger.warn({ maxConnections }, 'connections are refused: MAX_CONNECTIONS is reached');
  };
};

export const observeBatches = (metrics: PrometheusMetrics, logger: Logger): RepositoryObserver =>
  logger.isLevelEnabled('trace')
    ? {
        batch: (operation, size, milliseconds) => {
          metrics.batches.batch(operation, size, milliseconds);
          logger.trace({ operation, size, milliseconds }, 'database batch');
        },
      }
    : metrics.batches;

export const readiness = (
  { checkReadiness }: Backend,
  logger: Logger,
  isStopping: () => boolean,
): CheckReadiness => {
  let last: string | undefined;
  return async () => {
    const found = await checkReadiness();
    if (isStopping()) return E.left({ _tag: 'NotReady', reason: 'the service is stopping' });
    if (found !== last) {
      if (found === undefined) logger.info('ready');
      else logger.warn({ reason: found }, 'not ready');
    }
    last = found;
    return found === undefined ? E.right(undefined) : E.left({ _tag: 'NotReady', reason: found });
  };
};

export const scrapeTimeoutMs = 3_500;

export const readServiceStatus = async (
  { readStatus, pools }: Backend,
  checkReadiness: CheckReadiness,
): Promise<ServiceStatus> => {
  const late = <A>(otherwise: A): Promise<A> => delay(scrapeTimeoutMs, otherwise, { ref: false });
  const [isReady, status] = await Promise.all([
    Promise.race([checkReadiness().then(E.isRight), late(false)]),
    Promise.race([readStatus(), late<Partial<DatabaseStatus>>({})]),
  ]);
  return { isReady, ...status, pools: pools() };
};
