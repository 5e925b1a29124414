import { setTimeout as delay } from 'node:timers/promises';
import { readMetrics } from '../../../support/service/read-metrics';
import type { ServiceProcess } from '../../../support/service/service-process';

/** In milliseconds, between two looks. */
const interval = 250;

/** Watches by a service's own metrics how long its event loop is busy with one thing. */
export const watchTurns = (
  service: ServiceProcess,
): { readonly end: () => Promise<{ readonly slowest: number }> } => {
  let isWatching = true;
  let slowest = 0;
  const watch = async (): Promise<void> => {
    // Each look begins the measure anew.
    await readMetrics(service);
    while (isWatching) {
      await delay(interval);
      const metrics = await readMetrics(service);
      slowest = Math.max(slowest, (metrics.get('nodejs_eventloop_lag_max_seconds') ?? NaN) * 1_000);
    }
  };
  const watched = watch();
  return {
    end: async () => {
      isWatching = false;
      await watched;
      return { slowest: Math.round(slowest) };
    },
  };
};
