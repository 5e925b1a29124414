import * as E from 'fp-ts/Either';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { CheckReadiness } from '../../adapters/http';
import type { DatabaseStatus } from '../../adapters/knex';
import type { ServiceStatus } from '../../adapters/prometheus';
import type { ServiceStore } from '../store/service-store';

/** Makes the readiness check, which also logs each change of its result. */
export const reportReadiness = (
  { findObstacle }: ServiceStore,
  logger: Logger,
  isStopping: () => boolean,
): CheckReadiness => {
  let last: string | undefined;
  return async () => {
    const found = await findObstacle();
    if (isStopping()) return E.left({ _tag: 'NotReady', reason: 'the service is stopping' });
    if (found !== last) {
      if (found === undefined) logger.info('ready');
      else logger.warn({ reason: found }, 'not ready');
    }
    last = found;
    return found === undefined ? E.right(undefined) : E.left({ _tag: 'NotReady', reason: found });
  };
};

export const readServiceStatus = async (
  { readStatus, pools }: ServiceStore,
  checkReadiness: CheckReadiness,
): Promise<ServiceStatus> => {
  const late = <A>(otherwise: A): Promise<A> => delay(scrapeTimeoutMs, otherwise, { ref: false });
  const [isReady, status] = await Promise.all([
    Promise.race([checkReadiness().then(E.isRight), late(false)]),
    Promise.race([readStatus(), late<Partial<DatabaseStatus>>({})]),
  ]);
  return { isReady, ...status, pools: pools() };
};

export const scrapeTimeoutMs = 3_500;
