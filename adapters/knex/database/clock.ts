import type { Connection } from './store-database';

/**
 * Formats milliseconds since 1970 as ISO 8601 in UTC, or returns `an invalid time` if another program stored a value
 * outside the range of dates.
 */
export const toIsoTime = (milliseconds: number | string): string => {
  const time = new Date(Number(milliseconds));
  return Number.isNaN(time.getTime()) ? 'an invalid time' : time.toISOString();
};

export const toIsoTimeOrNull = (milliseconds: number | string | null | undefined): string | null =>
  milliseconds === null || milliseconds === undefined ? null : toIsoTime(milliseconds);

/** Returns the SQL condition for rows that have expired. It is null for rows without an expiry. */
export const hasExpired = (nowSql: string): string => `expires_at <= ${nowSql}`;

/** Reads the database's time in milliseconds since 1970, because the clocks of the service's instances may differ. */
export const readClock = async ({ knex, statements }: Connection): Promise<number> => {
  const read = await knex.first<{ readonly now: number | string }>(knex.raw(`${statements.nowSql} as now`));
  return Number(read.now);
};
