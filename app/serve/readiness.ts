import * as E from 'fp-ts/Either';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { CheckReadiness } from '../../adapters/http';
import type { ReadServiceStatus } from '../../adapters/prometheus';
import type { Backend } from '../backend/backend';
import { databaseTimeouts } from '../../core/timeouts';

/** Returns not ready once the service stops. Logs each change, since probes are logged at debug level only. */
export const readiness = (
  { checkReadiness }: Backend,
  logger: Logger,
  isStopping: () => boolean,
): CheckReadiness => {
  let last: string | undefined;
  return async () => {
    const found = await checkReadiness();
    if (isStopping()) return E.left({ _tag: 'NotReady', reason: 'the service is stopping' });
    if (found !== last) {
      if (found === undefined) logger.info('ready');
      else logger.warn({ reason: found }, 'not ready');
    }
    last = found;
    return found === undefined ? E.right(undefined) : E.left({ _tag: 'NotReady', reason: found });
  };
};

const withTimeout = <A>(query: Promise<A>, otherwise: NoInfer<A>): Promise<A> =>
  Promise.race([query, delay(databaseTimeouts.scrapeMs, otherwise, { ref: false })]);

export const serviceStatus =
  ({ readStatus }: Backend, checkReadiness: CheckReadiness): ReadServiceStatus =>
  async () => {
    const [isReady, { sizes, migrations, validKeys, endingOwners = [] }] = await Promise.all([
      withTimeout(checkReadiness().then(E.isRight), false),
      withTimeout(readStatus(), {}),
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
