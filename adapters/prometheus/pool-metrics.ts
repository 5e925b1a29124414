import { Gauge, type Registry } from 'prom-client';

export interface PoolUsage {
  readonly pool: string;
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
}

export const poolMetrics =
  (registry: Registry) =>
  (usages: () => ReadonlyArray<PoolUsage>): void => {
    const registers = [registry];
    const name = 'db_client_connection_pool_name';
    new Gauge({
      // OpenTelemetry's name ends in `_count`, which Prometheus reserves for histograms.
      name: 'db_client_connections',
      help: 'Number of database connections by state.',
      labelNames: [name, 'db_client_connection_state'],
      registers,
      collect() {
        for (const { pool, used, idle } of usages()) {
          this.set({ [name]: pool, db_client_connection_state: 'used' }, used);
          this.set({ [name]: pool, db_client_connection_state: 'idle' }, idle);
        }
      },
    });
    new Gauge({
      name: 'db_client_connection_pending_requests',
      help: 'Number of queries that wait for a database connection.',
      labelNames: [name],
      registers,
      collect() {
        for (const { pool, waiting } of usages()) this.set({ [name]: pool }, waiting);
      },
    });
  };
