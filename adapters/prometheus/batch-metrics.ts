import { Histogram, type Registry } from 'prom-client';

export interface BatchMetrics {
  readonly batch: (operation: string, size: number, milliseconds: number) => void;
}

/** Times a repository's batches, and tells how many calls shared each; those of `create` are commits. */
export const batchMetrics = (registry: Registry): BatchMetrics => {
  const labelNames = ['db_operation_name'];
  const registers = [registry];
  const duration = new Histogram({
    name: 'db_client_operation_duration_seconds',
    help: 'Duration of database client operations: a batch of list or find, a commit of create.',
    labelNames,
    // OpenTelemetry's advice: semantic conventions for database metrics.
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
    registers,
  });
  const sizes = new Histogram({
    name: 'animal_store_batch_size',
    help: 'How many calls shared a database client operation.',
    labelNames,
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    registers,
  });
  return {
    batch: (operation, size, milliseconds) => {
      const labels = { db_operation_name: operation };
      duration.observe(labels, milliseconds / 1000);
      sizes.observe(labels, size);
    },
  };
};
