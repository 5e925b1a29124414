import { Gauge, type Registry } from 'prom-client';

const measured = [
  ['databaseSize', 'animal_store_database_size_bytes', 'Size of the database on its disk.'],
  ['writeAheadLogSize', 'animal_store_write_ahead_log_size_bytes', 'Size of the write-ahead log of SQLite.'],
  ['diskAvailable', 'animal_store_disk_available_bytes', 'Free space on the disk of the SQLite file.'],
  [
    'appliedMigrations',
    'animal_store_schema_migrations_applied',
    'Number of migrations of this release that the database has.',
  ],
  [
    'pendingMigrations',
    'animal_store_schema_migrations_pending',
    'Number of migrations of this release that are pending.',
  ],
  ['validKeys', 'animal_store_valid_api_keys', 'Number of valid API keys.'],
] as const;

/** Status of the service, with sizes in bytes. An undefined value has no series. */
interface ServiceStatus extends Partial<Readonly<Record<(typeof measured)[number][0], number | undefined>>> {
  readonly isReady: boolean;
  readonly endingOwners?: ReadonlyArray<{
    readonly owner: string;
    readonly ends: string;
  }>;
}

export const serviceMetrics = (registry: Registry, version: string) => {
  const registers = [registry];
  new Gauge({
    name: 'animal_store_build_info',
    help: 'Always 1. The label has the running release.',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1);
  const ready = new Gauge({
    name: 'animal_store_ready',
    help: '1 if the service is ready, as /readyz reports, otherwise 0.',
    registers,
  });
  const gauges = measured.map(
    ([value, name, help]) => [value, new Gauge({ name, help, registers })] as const,
  );
  const ends = new Gauge({
    name: 'animal_store_owner_keys_expiry_timestamp_seconds',
    help: 'Expiry of the last valid API key of an owner, for the 100 owners whose keys expire first.',
    labelNames: ['owner'],
    registers,
  });
  return {
    show: (status: ServiceStatus): void => {
      ready.set(status.isReady ? 1 : 0);
      for (const [name, gauge] of gauges) {
        const value = status[name];
        if (value === undefined) gauge.remove();
        else gauge.set(value);
      }
      ends.reset();
      for (const { owner, ends: text } of status.endingOwners ?? []) {
        ends.set({ owner }, Date.parse(text) / 1000);
      }
    },
  };
};

export type ReadServiceStatus = () => Promise<ServiceStatus>;
