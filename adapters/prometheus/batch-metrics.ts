import { Histogram, type Registry } from 'prom-client';

const operations = ['list', 'find', 'create'] as const;

/** Measures the duration and size of batches. Each batch of `create` is a commit. */
export const batchMetrics = (registry: Registry) => {
  const labelNames = ['db_operation_name'];
  const registers = [registry];
  const duration = new Histogram({
    name: 'db_client_operation_duration_seconds',
    help: 'Duration of database client operations: a batch of list or find, a commit of create.',
    labelNames,
    // Finer than the advice of OpenTelemetry, whose first bound is 1 ms: most reads take less.
    buckets: [0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
    registers,
  });
  const sizes = new Histogram({
    name: 'animal_store_batch_size',
    help: 'Number of calls in one database client operation.',
    labelNames,
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    registers,
  });
  for (const operation of operations) {
    duration.zero({ db_operation_name: operation });
    sizes.zero({ db_operation_name: operation });
  }
  return {
    batch: (operation: (typeof operations)[number], size: number, milliseconds: number): void => {
      const labels = { db_operation_name: operation };
      duration.observe(labels, milliseconds / 1000);
      sizes.observe(labels, size);
    },
  };
};
