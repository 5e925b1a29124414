import * as E from 'fp-ts/Either';
import { constFalse, constTrue } from 'fp-ts/function';
import { setTimeout as delay } from 'node:timers/promises';
import type { CheckReadiness } from '../../adapters/http';
import type { ReadServiceStatus } from '../../adapters/prometheus';
import type { Backend } from '../backend/backend';

/** In milliseconds: what a database that hangs has not told by then is left out, so that the scrape keeps its deadline. */
const longestLook = 3_500;

const orLeaveOut = <A>(look: Promise<A>, otherwise: NoInfer<A>): Promise<A> =>
  Promise.race([look, delay(longestLook, otherwise, { ref: false })]);

/** How the service is, for its metrics. */
export const serviceStatus =
  ({ readStatus }: Backend, checkReadiness: CheckReadiness): ReadServiceStatus =>
  async () => {
    const [isReady, { sizes, migrations, validKeys, endingOwners = [] }] = await Promise.all([
      orLeaveOut(checkReadiness().then(E.match(constFalse, constTrue)), false),
      orLeaveOut(readStatus(), {}),
    ]);
    return {
      isReady,
      databaseSize: sizes?.database,
      writeAheadLogSize: sizes?.writeAheadLog,
      diskAvailable: sizes?.diskAvailable,
      appliedMigrations: migrations?.applied,
      pendingMigrations: migrations?.pending,
      validKeys,
      endingOwners,
    };
  };
