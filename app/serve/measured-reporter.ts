import type { Reporter } from '../../adapters/http';
import type { PrometheusMetrics } from '../../adapters/prometheus';

/** The same reporter, which counts and times every request before it passes it on. */
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
