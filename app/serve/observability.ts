import * as E from 'fp-ts/Either';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type CheckReadiness, healthPaths, type Reporter, type RequestRecord } from '../../adapters/http';
import type { DatabaseStatus } from '../../adapters/knex';
import type { PrometheusMetrics, ServiceStatus } from '../../adapters/prometheus';
import type { ServiceStore } from '../store/service-store';
import type { DatabaseUrl } from '../settings/database-url';
import { specificAdvice } from '../store/advice';

const probes = new Set<string | undefined>(healthPaths);

const levelOf = ({ status, route }: RequestRecord): 'error' | 'debug' | 'info' => {
  if (probes.has(route)) return 'debug';
  return status >= 500 ? 'error' : 'info';
};

/** Returns a function that runs `work`, unless `work` ran less than `intervalMs` ago. */
const atMostEvery = <A>(intervalMs: number, work: (value: A) => void): ((value: A) => void) => {
  let lastRunAt = -Infinity;
  return (value) => {
    const now = performance.now();
    if (now - lastRunAt < intervalMs) return;
    lastRunAt = now;
    work(value);
  };
};

const preflightLogMs = 60_000;

/** Logs one line for each request and each failure, and counts requests in `metrics`, if any. */
export const requestReporter = (
  logger: Logger,
  url: DatabaseUrl,
  metrics?: PrometheusMetrics['requests'],
): Reporter => ({
  requestStarted: () => metrics?.started(),
  requestEnded: (record) => {
    metrics?.ended(record);
    const isShown = record.unknownFields === undefined || logger.isLevelEnabled('debug');
    logger[levelOf(record)](isShown ? record : { ...record, unknownFields: undefined }, 'request');
  },
  requestRejected: (record) => {
    metrics?.rejected(record);
    logger.info(record, 'rejected');
  },
  preflightRejected: atMostEvery(preflightLogMs, (origin) => {
    logger.warn(`a browser asked from ${origin}; set CORS_ORIGIN to allow it`);
  }),
  error: (cause, requestId) => {
    logger.error({ err: cause, advice: specificAdvice(url, cause), requestId }, 'request failed');
  },
});

const refusalLogMs = 10_000;

/** Returns a function that counts a refused connection, and logs a warning at most once in 10 s. */
export const refusedConnections = (
  logger: Logger,
  { requests }: PrometheusMetrics,
  maxConnections: number,
): (() => void) => {
  const warn = atMostEvery(refusalLogMs, () => {
    logger.warn(
      { maxConnections },
      'connections are refused: MAX_CONNECTIONS is reached; raise it, or add instances on PostgreSQL',
    );
  });
  return () => {
    requests.connectionRefused();
    warn(undefined);
  };
};

export const readiness = (
  { checkReadiness }: ServiceStore,
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
  { readStatus, pools }: ServiceStore,
  checkReadiness: CheckReadiness,
): Promise<ServiceStatus> => {
  const late = <A>(otherwise: A): Promise<A> => delay(scrapeTimeoutMs, otherwise, { ref: false });
  const [isReady, status] = await Promise.all([
    Promise.race([checkReadiness().then(E.isRight), late(false)]),
    Promise.race([readStatus(), late<Partial<DatabaseStatus>>({})]),
  ]);
  return { isReady, ...status, pools: pools() };
};
