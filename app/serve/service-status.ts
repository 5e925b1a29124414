import * as E from 'fp-ts/Either';
import { constFalse, constTrue, pipe } from 'fp-ts/function';
import type { CheckReadiness } from '../../adapters/http';
import type { ReadServiceStatus } from '../../adapters/prometheus';
import type { Backend } from '../backend/backend';

/** How the service is, for its metrics. */
export const serviceStatus =
  ({ readStatus }: Backend, checkReadiness: CheckReadiness): ReadServiceStatus =>
  async () => {
    const [readiness, { sizes, migrations, validKeys, endingOwners = [] }] = await Promise.all([
      checkReadiness(),
      readStatus(),
    ]);
    return {
      isReady: pipe(readiness, E.match(constFalse, constTrue)),
      databaseSize: sizes?.database,
      writeAheadLogSize: sizes?.writeAheadLog,
      diskAvailable: sizes?.diskAvailable,
      appliedMigrations: migrations?.applied,
      pendingMigrations: migrations?.pending,
      validKeys,
      endingOwners,
    };
  };
