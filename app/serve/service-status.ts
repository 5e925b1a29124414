import * as E from 'fp-ts/Either';
import { setTimeout as delay } from 'node:timers/promises';
import type { CheckReadiness } from '../../adapters/http';
import type { DatabaseStatus } from '../../adapters/knex';
import type { ServiceStatus } from '../../adapters/prometheus';
import type { ServiceStore } from '../store/service-store';

export const scrapeTimeoutMs = 3_500;

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
