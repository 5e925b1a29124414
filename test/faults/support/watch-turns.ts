import { setTimeout as delay } from 'node:timers/promises';
import { readMetrics } from '../../support/read-metrics';

/** In milliseconds, between two looks. */
const interval = 250;

/** Watches by a service's own metrics how long its event loop is busy with one thing. */
export const watchTurns = (
  address: string,
  key: string,
): { readonly end: () => Promise<{ readonly slowest: number }> } => {
  let isWatching = true;
  let slowest = 0;
  const watch = async (): Promise<void> => {
    // Each look begins the measure anew.
    await readMetrics(address, key);
    while (isWatching) {
      await delay(interval);
      const metrics = await readMetrics(address, key);
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
