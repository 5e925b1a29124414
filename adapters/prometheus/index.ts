import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { type Operation, requestMetrics } from './request-metrics';
import { serviceMetrics, type ServiceStatus } from './service-metrics';

export type { ServiceStatus };

interface Options {
  readonly version: string;
  readonly operations: ReadonlyArray<Operation>;
}

/** Metrics of prom-client that the dashboard shows, and the two whose collection sets them. */
const processMetrics = [
  'nodejs_eventloop_lag_seconds',
  'nodejs_eventloop_lag_p99_seconds',
  'process_cpu_seconds_total',
  'process_cpu_user_seconds_total',
  'process_resident_memory_bytes',
];

const addProcessMetrics = (registry: Registry): void => {
  collectDefaultMetrics({ register: registry });
  for (const { name } of registry.getMetricsAsArray()) {
    if (!processMetrics.includes(name)) registry.removeSingleMetric(name);
  }
};

const batchMetrics = (registry: Registry) => {
  const durations = new Histogram({
    name: 'db_client_operation_duration_seconds',
    help: 'Duration of a database operation that requests can share: list (a query for pages), find (a query by ids), create (a transaction that adds animals).',
    labelNames: ['db_operation_name'],
    buckets: [0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
    registers: [registry],
  });
  for (const operation of ['list', 'find', 'create']) durations.zero({ db_operation_name: operation });
  return {
    batch: (operation: string, _size: number, milliseconds: number): void => {
      durations.observe({ db_operation_name: operation }, milliseconds / 1000);
    },
  };
};

/**
 * Makes the metrics of a service. Where OpenTelemetry has a name for a metric, the metric has this name in Prometheus
 * spelling. app/serve/serve.ts calls this function at startup, and app/serve/observability.ts reports each request to
 * the metrics. No other adapter imports this adapter, so that embedding programs do not need prom-client.
 */
export const prometheusMetrics = ({ version, operations }: Options) => {
  const registry = new Registry();
  addProcessMetrics(registry);
  const requests = requestMetrics(registry, operations);
  const batches = batchMetrics(registry);
  const setServiceStatus = serviceMetrics(registry, version);
  return {
    requests,
    batches,
    read: (status: ServiceStatus = { isReady: false }): Promise<string> => {
      setServiceStatus(status);
      return registry.metrics();
    },
  };
};

export type PrometheusMetrics = ReturnType<typeof prometheusMetrics>;
