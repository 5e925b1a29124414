import type { Logger } from 'pino';
import type { Reporter, RequestRecord } from '../../adapters/http';
import type { PrometheusMetrics } from '../../adapters/prometheus';

/** Routes logged at debug level, because probes call them every few seconds. */
const probes: ReadonlyArray<string | undefined> = ['/livez', '/readyz'];

const levelOf = ({ status, route }: RequestRecord): 'error' | 'debug' | 'info' => {
  if (probes.includes(route)) return 'debug';
  return status >= 500 ? 'error' : 'info';
};

/** Logs one line for each request and each failure, without credentials, query or body. */
export const logReporter = (logger: Logger): Reporter => ({
  requestEnded: (record) => {
    logger[levelOf(record)](
      {
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
        // Names of OpenTelemetry and W3C Trace Context. An undefined field would hide the one that OpenTelemetry's
        // instrumentation adds.
        ...(record.trace && { trace_id: record.trace.traceId, parent_id: record.trace.parentId }),
      },
      'request',
    );
  },
  requestRejected: (record) => {
    logger.info(record, 'rejected');
  },
  error: (cause, requestId) => {
    logger.error({ err: cause, requestId }, 'failure');
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
