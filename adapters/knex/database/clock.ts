import type { Knex } from 'knex';
import type { Statements } from './store-database';

/** Returns the time of the database's clock in milliseconds since 1970, because the clocks of instances may differ. */
export const readClock = async (knex: Knex, { now }: Pick<Statements, 'now'>): Promise<number> => {
  const read = await knex.first<{ readonly now: number | string }>(knex.raw(`${now} as now`));
  return Number(read.now);
};
