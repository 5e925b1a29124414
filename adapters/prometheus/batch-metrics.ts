import { Histogram, type Registry } from 'prom-client';

/** Those that a repository batches: their series are there from the start. */
const operations = ['list', 'find', 'create'] as const;

/** Times a repository's batches, and tells how many calls shared each; those of `create` are commits. */
export const batchMetrics = (registry: Registry) => {
  const labelNames = ['db_operation_name'];
  const registers = [registry];
  const duration = new Histogram({
    name: 'db_client_operation_duration_seconds',
    help: 'Duration of database client operations: a batch of list or find, a commit of create.',
    labelNames,
    // Finer than OpenTelemetry's advice: most reads take less than its first, 1 ms.
    buckets: [0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
    registers,
  });
  const sizes = new Histogram({
    name: 'animal_store_batch_size',
    help: 'How many calls shared a database client operation.',
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
