import { collectDefaultMetrics, Registry } from 'prom-client';
import { type Operation, requestMetrics } from './request-metrics';
import { batchMetrics, serviceMetrics, type ServiceStatus } from './service-metrics';

export type { ServiceStatus };

interface Options {
  readonly version: string;
  readonly operations: ReadonlyArray<Operation>;
}

/**
 * Gauges of prom-client that are left out, because only the name of a counter should end in `_total`. Other gauges
 * report the same values in more detail.
 */
const misnamed = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/**
 * Metrics of a service: OpenTelemetry's names in Prometheus spelling, and prom-client's default metrics of the process.
 * No other adapter imports this one, so that embedders do not need prom-client.
 */
export const prometheusMetrics = ({ version, operations }: Options) => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of misnamed) registry.removeSingleMetric(name);
  const requests = requestMetrics(registry, operations);
  const batches = batchMetrics();
  const service = serviceMetrics(registry, version);
  return {
    requests,
    batches,
    read: async (status: ServiceStatus = { isReady: false }): Promise<string> => {
      service.update(status);
      return `${await registry.metrics()}\n${requests.durationsText()}${batches.text()}`;
    },
  };
};

export type PrometheusMetrics = ReturnType<typeof prometheusMetrics>;
