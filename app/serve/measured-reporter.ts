import type { Reporter } from '../../adapters/http';
import type { PrometheusMetrics } from '../../adapters/prometheus';

/** The same reporter, which counts and times every request before it passes it on. */
export const measuredReporter = (reporter: Reporter, { requests }: PrometheusMetrics): Reporter => ({
  ...reporter,
  arrival: requests.arrival,
  refusal: (record) => {
    requests.refusal(record);
    reporter.refusal(record);
  },
  request: (record) => {
    requests.request(record);
    reporter.request(record);
  },
});
