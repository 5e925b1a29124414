import type { Logger } from 'pino';
import type { Reporter } from '../../adapters/http';

/** Writes one line for each request and one for each failure, with no credential, query or body in either. */
export const logReporter = (logger: Logger): Reporter => ({
  requestEnded: ({
    method,
    path,
    route,
    status,
    milliseconds,
    keyId,
    owner,
    requestId,
    clientAddress,
    trace,
  }) => {
    logger.info(
      {
        method,
        path,
        route,
        status,
        milliseconds,
        keyId,
        owner,
        clientAddress,
        requestId,
        // What OpenTelemetry and W3C Trace Context call them: log stores find a trace's lines by these. A field that is
        // there but undefined would hide the trace that OpenTelemetry's instrumentation puts into the line.
        ...(trace && { trace_id: trace.traceId, parent_id: trace.parentId }),
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
