import type { Logger } from 'pino';
import type { Reporter } from '../../adapters/http';

/** Writes one line for each request and one for each failure, with no credential, query or body in either. */
export const logReporter = (logger: Logger): Reporter => ({
  requestEnded: (record) => {
    logger.info(
      {
        method: record.method,
        path: record.path,
        route: record.route,
        status: record.status,
        milliseconds: record.milliseconds,
        keyId: record.keyId,
        owner: record.owner,
        clientAddress: record.clientAddress,
        requestId: record.requestId,
        // What OpenTelemetry and W3C Trace Context call them: log stores find a trace's lines by these. A field that is
        // there but undefined would hide the trace that OpenTelemetry's instrumentation puts into the line.
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
