import { type ServiceProcess, startService } from './service-process';
import type { SqlStore } from './sql-stores';

/** Starts several services at once on one database. */
export const startServices = (
  count: number,
  databaseUrl: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<ReadonlyArray<ServiceProcess>> =>
  Promise.all(
    Array.from({ length: count }, () =>
      startService({ DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent', ...settings }),
    ),
  );

/** A column of a table that a test reads past the service. */
export const columnIn = async (
  { open }: SqlStore,
  table: string,
  column: string,
): Promise<ReadonlyArray<unknown>> => {
  const { reads, close } = open();
  try {
    const values: ReadonlyArray<unknown> = await reads(table).orderBy('id').pluck(column);
    return values;
  } finally {
    await close();
  }
};
