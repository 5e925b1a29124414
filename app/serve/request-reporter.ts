import { toError } from 'fp-ts/Either';
import type { Logger } from 'pino';
import { healthPaths, type Reporter, type RequestEntry } from '../../adapters/http';
import type { PrometheusMetrics } from '../../adapters/prometheus';
import type { Settings } from '../settings/settings';
import { specificAdvice } from '../failures/advice';

/** Logs requests, failures and refused connections, and counts them in `metrics`, if any. */
export const requestReporter = (
  logger: Logger,
  { DATABASE_URL: url, MAX_CONNECTIONS: maxConnections }: Settings,
  metrics: PrometheusMetrics['requests'] | undefined,
): Reporter & { readonly connectionRefused: () => void; readonly reportNotLogged: () => void } => {
  const failedRequests = lineLimit(failedRequestsPerSecond, (status, notLogged) => {
    logger.error({ status: Number(status), notLogged }, 'requests not logged');
  });
  const causes = lineLimit(causesPerSecond, (cause, notLogged) => {
    logger.error({ cause, notLogged }, 'causes not logged');
  });
  const warnOfRefusal = atMostEvery(refusalLogMs, () => {
    logger.warn(
      { maxConnections },
      'connections are refused: MAX_CONNECTIONS is reached; raise it, or add instances on PostgreSQL',
    );
  });
  return {
    requestStarted: () => metrics?.started(),
    requestEnded: (entry) => {
      metrics?.ended(entry);
      const level = levelOf(entry);
      if (level === 'error' && !failedRequests.pass(String(entry.status))) return;
      const isShown = entry.unknownFields === undefined || logger.isLevelEnabled('debug');
      logger[level](isShown ? entry : { ...entry, unknownFields: undefined }, 'request');
    },
    requestRejected: (entry) => {
      metrics?.rejected(entry);
      logger.info(entry, 'rejected');
    },
    connectionRefused: () => {
      metrics?.connectionRefused();
      warnOfRefusal(undefined);
    },
    preflightRejected: atMostEvery(preflightLogMs, (origin) => {
      const advice =
        origin === 'null'
          ? 'serve its page over HTTP, so that the page has an origin that CORS_ORIGIN can allow'
          : 'set CORS_ORIGIN to allow it';
      logger.warn(`a browser asked from ${origin}; ${advice}`);
    }),
    requestFailed: (cause, requestId) => {
      if (!causes.pass(toError(cause).message)) return;
      logger.error({ err: cause, advice: specificAdvice(url, cause), requestId }, 'request failed');
    },
    reportNotLogged: () => {
      failedRequests.flush();
      causes.flush();
    },
  };
};

/** Maximum lines a second for each cause, because all requests of an outage fail for the same cause. */
const causesPerSecond = 1;
const failedRequestsPerSecond = 20;

const preflightLogMs = 60_000;

const refusalLogMs = 10_000;

const levelOf = ({ status, route }: RequestEntry): 'error' | 'debug' | 'info' => {
  if (probes.has(route)) return 'debug';
  return status >= 500 ? 'error' : 'info';
};

const probes = new Set<string | undefined>(healthPaths);

/**
 * Limits the lines of each kind to `count` a second. `pass` returns false for a line to withhold. At the end of the
 * second, or at a call of `flush`, `report` gets the number of withheld lines of each kind.
 */
const lineLimit = (count: number, report: (kind: string, notLogged: number) => void) => {
  const lines = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    for (const [kind, number] of lines) if (number > count) report(kind, number - count);
    lines.clear();
  };
  const pass = (kind: string): boolean => {
    timer ??= setTimeout(flush, 1_000).unref();
    const counted = lines.has(kind) || lines.size < maxKinds ? kind : 'others';
    const number = (lines.get(counted) ?? 0) + 1;
    lines.set(counted, number);
    return number <= count;
  };
  return { pass, flush };
};

/**
 * Maximum number of kinds of lines that are counted separately. A message that contains a value, such as an id, would
 * otherwise make a new kind each time.
 */
const maxKinds = 100;

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
