import { collectDefaultMetrics, Registry } from 'prom-client';
import { type BatchMetrics, batchMetrics } from './batch-metrics';
import { poolMetrics } from './pool-metrics';
import { type RequestMetrics, requestMetrics } from './request-metrics';

export interface PrometheusMetrics {
  readonly requests: RequestMetrics;
  readonly batches: BatchMetrics;
  readonly watchPools: ReturnType<typeof poolMetrics>;
  /** Everything measured so far, in the Prometheus text format, version 0.0.4. */
  readonly read: () => Promise<string>;
}

/**
 * One service's metrics, in a registry of their own: OpenTelemetry's semantic names in their Prometheus spelling,
 * and prom-client's for the process and its event loop.
 *
 * An adapter of its own, because prom-client is a technology like knex or koa: an embedder takes those without it.
 * It fits what the others report through by shape alone, so that none imports another; the app connects them.
 */
export const prometheusMetrics = (): PrometheusMetrics => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return {
    requests: requestMetrics(registry),
    batches: batchMetrics(registry),
    watchPools: poolMetrics(registry),
    read: () => registry.metrics(),
  };
};
