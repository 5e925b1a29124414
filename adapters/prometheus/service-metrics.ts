import { Gauge, type Registry } from 'prom-client';

/** What is shown as it is: by the name of its value, that of its metric, and what it means. */
const measured = [
  ['databaseSize', 'animal_store_database_size_bytes', 'What the database takes of its disk.'],
  ['writeAheadLogSize', 'animal_store_write_ahead_log_size_bytes', "What SQLite's write-ahead log takes."],
  [
    'diskAvailable',
    'animal_store_disk_available_bytes',
    'What is left of the disk that a SQLite file is on.',
  ],
  [
    'appliedMigrations',
    'animal_store_schema_migrations_applied',
    "How many of this release's migrations the database has.",
  ],
  ['pendingMigrations', 'animal_store_schema_migrations_pending', 'How many of them it lacks.'],
  ['validKeys', 'animal_store_valid_api_keys', 'How many API keys are valid.'],
] as const;

/** How a service is at a moment, sizes in bytes. What can't be known is undefined, and has no series. */
interface ServiceStatus extends Partial<Readonly<Record<(typeof measured)[number][0], number | undefined>>> {
  readonly isReady: boolean;
  readonly endingOwners?: ReadonlyArray<{
    readonly owner: string;
    /** ISO 8601. */
    readonly ends: string;
  }>;
}

/** Shows how the service is. The status is read once whenever the metrics are. */
export const serviceMetrics = (registry: Registry, version: string) => {
  const registers = [registry];
  new Gauge({
    name: 'animal_store_build_info',
    help: 'Always 1; the release that runs is in the label.',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1);
  const ready = new Gauge({
    name: 'animal_store_ready',
    help: 'Whether requests can be served, as /readyz says: 1 or 0.',
    registers,
  });
  const gauges = measured.map(
    ([value, name, help]) => [value, new Gauge({ name, help, registers })] as const,
  );
  const ends = new Gauge({
    name: 'animal_store_owner_keys_expiry_timestamp_seconds',
    help: "When the last of an owner's valid API keys ends, of the 100 owners whose keys end first.",
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

/** Reads how the service is at this moment. */
export type ReadServiceStatus = () => Promise<ServiceStatus>;
