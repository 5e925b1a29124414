import type { Database } from '../../../adapters/knex';
import type { InspectableDatabase } from '../../../adapters/knex/service';

/** A database of a test as one to inspect, without damage and with every right. */
export const forInspection = (database: Database): InspectableDatabase => ({
  ...database,
  findDamage: () => Promise.resolve(undefined),
  missingGrants: () => Promise.resolve([]),
});
