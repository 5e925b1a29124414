import { Gauge, type Registry } from 'prom-client';

const measured = [
  ['openConnections', 'animal_store_open_connections', 'Number of open connections of clients.'],
  ['databaseSize', 'animal_store_database_size_bytes', 'Size of the database on its disk.'],
  ['writeAheadLogSize', 'animal_store_write_ahead_log_size_bytes', 'Size of the write-ahead log of SQLite.'],
  ['diskAvailable', 'animal_store_disk_available_bytes', 'Free space on the disk of the SQLite file.'],
  [
    'certificateExpirySeconds',
    'animal_store_database_certificate_expiry_timestamp_seconds',
    'Unix time at which the certificate of PostgreSQL expires, if the connection has TLS.',
  ],
  ['validKeys', 'animal_store_valid_api_keys', 'Number of valid API keys.'],
] as const;

/** Status of the service at a scrape. Sizes are in bytes. A metric whose value is undefined is left out. */
export interface ServiceStatus extends Partial<
  Readonly<Record<(typeof measured)[number][0], number | undefined>>
> {
  readonly isReady: boolean;
  readonly endingOwners?: ReadonlyArray<{ readonly owner: string; readonly endsAt: number }>;
  readonly pools?: ReadonlyArray<{
    readonly pool: string;
    readonly used: number;
    readonly idle: number;
    readonly waiting: number;
  }>;
}

const poolName = 'db_client_connection_pool_name';
const connectionState = 'db_client_connection_state';

export const serviceMetrics = (registry: Registry, version: string) => {
  const gauge = (name: string, help: string, ...labelNames: ReadonlyArray<string>) =>
    new Gauge({ name, help, labelNames, registers: [registry] });

  gauge('animal_store_build_info', 'Always 1. The label is the running version.', 'version').set(
    { version },
    1,
  );
  const ready = gauge('animal_store_ready', '1 if the service is ready, as /readyz reports, otherwise 0.');
  const gauges = measured.map(([value, name, help]) => [value, gauge(name, help)] as const);
  const ends = gauge(
    'animal_store_owner_keys_expiry_timestamp_seconds',
    'Unix time at which the last valid API key of an owner expires, for the 100 owners for whom it is soonest. Owners with a key that never expires are left out.',
    'owner',
  );
  const connections = gauge(
    // Lacks the ending `_count` of the OpenTelemetry name, which Prometheus reserves for histograms.
    'db_client_connections',
    'Number of database connections by state.',
    poolName,
    connectionState,
  );
  const pending = gauge(
    'db_client_connection_pending_requests',
    'Number of queries that wait for a database connection.',
    poolName,
  );
  return (status: ServiceStatus): void => {
    ready.set(status.isReady ? 1 : 0);
    for (const [name, gauge] of gauges) {
      const value = status[name];
      if (value === undefined) gauge.remove();
      else gauge.set(value);
    }
    ends.reset();
    for (const { owner, endsAt } of status.endingOwners ?? []) ends.set({ owner }, endsAt / 1000);
    for (const { pool, used, idle, waiting } of status.pools ?? []) {
      connections.set({ [poolName]: pool, [connectionState]: 'used' }, used);
      connections.set({ [poolName]: pool, [connectionState]: 'idle' }, idle);
      pending.set({ [poolName]: pool }, waiting);
    }
  };
};
