import { collectDefaultMetrics, Registry } from 'prom-client';
import { batchMetrics, type KnownLabels, requestMetrics } from './request-metrics';
import { serviceMetrics, type ServiceStatus } from './service-metrics';

export type { ServiceStatus };

interface Options extends KnownLabels {
  readonly version: string;
  /** Names of the database operations whose batches are counted. */
  readonly batchOperations: ReadonlyArray<string>;
}

/**
 * Default metrics of prom-client that the alerts and the dashboard use. `nodejs_eventloop_lag_seconds` and
 * `process_cpu_user_seconds_total` are kept because prom-client sets some of the others when it collects these two.
 */
const processMetrics = [
  'nodejs_eventloop_lag_seconds',
  'nodejs_eventloop_lag_p99_seconds',
  'process_cpu_seconds_total',
  'process_cpu_user_seconds_total',
  'process_resident_memory_bytes',
  'process_start_time_seconds',
];

/**
 * Makes the metrics of a service. Metrics that OpenTelemetry defines have its names, in Prometheus spelling. Embedding
 * programs do not need prom-client, because no other adapter imports this one.
 */
export const prometheusMetrics = ({ version, batchOperations, ...knownLabels }: Options) => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const { name } of registry.getMetricsAsArray()) {
    if (!processMetrics.includes(name)) registry.removeSingleMetric(name);
  }
  const setServiceStatus = serviceMetrics(registry, version);
  return {
    requests: requestMetrics(registry, knownLabels),
    batches: batchMetrics(registry, batchOperations),
    read: (status: ServiceStatus): Promise<string> => {
      setServiceStatus(status);
      return registry.metrics();
    },
  };
};

export type PrometheusMetrics = ReturnType<typeof prometheusMetrics>;
