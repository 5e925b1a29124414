import { collectDefaultMetrics, Registry } from 'prom-client';
import { batchMetrics, type Operation, requestMetrics } from './request-metrics';
import { serviceMetrics, type ServiceStatus } from './service-metrics';

export type { ServiceStatus };

interface Options {
  readonly version: string;
  readonly operations: ReadonlyArray<Operation>;
}

/**
 * Metrics of prom-client for the alerts and the dashboard, and two from which prom-client sets them:
 * `nodejs_eventloop_lag_seconds` and `process_cpu_user_seconds_total`.
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
 * Makes the metrics of a service. Where OpenTelemetry has a name for a metric, the metric has this name in Prometheus
 * spelling. Embedding programs need no prom-client, because no other adapter imports this one.
 */
export const prometheusMetrics = ({ version, operations }: Options) => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const { name } of registry.getMetricsAsArray()) {
    if (!processMetrics.includes(name)) registry.removeSingleMetric(name);
  }
  const setServiceStatus = serviceMetrics(registry, version);
  return {
    requests: requestMetrics(registry, operations),
    batches: batchMetrics(registry),
    read: (status: ServiceStatus): Promise<string> => {
      setServiceStatus(status);
      return registry.metrics();
    },
  };
};

export type PrometheusMetrics = ReturnType<typeof prometheusMetrics>;
