import { collectDefaultMetrics, Registry } from 'prom-client';
import { histogram } from './histogram';
import { type Operation, requestMetrics } from './request-metrics';
import { serviceMetrics, type ServiceStatus } from './service-metrics';

export type { ServiceStatus };

interface Options {
  readonly version: string;
  readonly operations: ReadonlyArray<Operation>;
}

/**
 * Gauges of prom-client that are left out, because only the name of a counter should end in `_total`. Other gauges of
 * prom-client report the same values in more detail.
 */
const misnamed = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

const batchMetrics = () => {
  const durations = histogram(
    'db_client_operation_duration_seconds',
    'Duration of a database operation that requests can share: list (a query for pages), find (a query by ids), create (a transaction that adds animals).',
    [0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
  );
  const sizes = histogram(
    'animal_store_batch_size',
    'Number of calls that shared one database operation.',
    [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
  );
  const observersOf = (operation: string) => ({
    observeSeconds: durations.addSeries(`db_operation_name="${operation}"`),
    observeSize: sizes.addSeries(`db_operation_name="${operation}"`),
  });
  const observers = { list: observersOf('list'), find: observersOf('find'), create: observersOf('create') };
  return {
    batch: (operation: keyof typeof observers, size: number, milliseconds: number): void => {
      const { observeSeconds, observeSize } = observers[operation];
      observeSeconds(milliseconds / 1000);
      observeSize(size);
    },
    text: (): string => durations.text() + sizes.text(),
  };
};

/**
 * Makes the metrics of a service, and prom-client's default metrics of the process. Where OpenTelemetry has a name for
 * a metric, the metric has this name in Prometheus spelling. app/serve/serve.ts calls this function at startup, and
 * app/serve/observability.ts reports each request to the metrics. No other adapter imports this adapter, so that
 * embedding programs do not need prom-client.
 */
export const prometheusMetrics = ({ version, operations }: Options) => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of misnamed) registry.removeSingleMetric(name);
  const requests = requestMetrics(registry, operations);
  const batches = batchMetrics();
  const setServiceStatus = serviceMetrics(registry, version);
  return {
    requests,
    batches,
    read: async (status: ServiceStatus = { isReady: false }): Promise<string> => {
      setServiceStatus(status);
      return `${await registry.metrics()}\n${requests.durationsText()}${batches.text()}`;
    },
  };
};

export type PrometheusMetrics = ReturnType<typeof prometheusMetrics>;
