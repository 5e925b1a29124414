import { collectDefaultMetrics, Registry } from 'prom-client';
import { batchMetrics } from './batch-metrics';
import { poolMetrics } from './pool-metrics';
import { type Operation, requestMetrics } from './request-metrics';
import { type ReadServiceStatus, serviceMetrics } from './service-metrics';

interface Options {
  /** The release that runs. */
  readonly version: string;
  /** Those whose series are there from the start. */
  readonly operations: ReadonlyArray<Operation>;
}

/** Gauges that prom-client names as counters are; each has a sibling without `_total` that says more. */
const misnamed = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/**
 * One service's metrics, in a registry of their own: OpenTelemetry's semantic names in their Prometheus spelling,
 * and prom-client's for the process and its event loop.
 *
 * An adapter of its own, because prom-client is a technology like knex or koa: an embedder takes those without it.
 * It fits what the others report through by shape alone, so that none imports another; the app connects them.
 */
export const prometheusMetrics = ({ version, operations }: Options) => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of misnamed) registry.removeSingleMetric(name);
  const service = serviceMetrics(registry, version);
  let readStatus: ReadServiceStatus = () => Promise.resolve({ isReady: false });
  return {
    requests: requestMetrics(registry, operations),
    batches: batchMetrics(registry),
    watchPools: poolMetrics(registry),
    /** Has the service's status asked for, once whenever the metrics are read. */
    watchStatus: (read: ReadServiceStatus): void => {
      readStatus = read;
    },
    /** Everything measured so far, in the Prometheus text format, version 0.0.4. */
    read: async (): Promise<string> => {
      service.show(await readStatus());
      return registry.metrics();
    },
  };
};

export type PrometheusMetrics = ReturnType<typeof prometheusMetrics>;
