import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readMetrics } from '../../../support/service/read-metrics';
import type { ServiceProcess } from '../../../support/service/service-process';

/** The settings under which a service can be told to collect its garbage. */
export const collecting = {
  ADMIN_PORT: '0',
  NODE_OPTIONS: `--import ${pathToFileURL(join(__dirname, 'collect-garbage.mjs')).href}`,
};

/** The signal and a request may overtake each other. */
const looks = 3;

const megabyte = 1_000_000;

/** What a service keeps on its heap, in megabytes. */
export const heapInUse = async (service: ServiceProcess): Promise<number> => {
  let least = Infinity;
  for (let look = 0; look < looks; look += 1) {
    service.signal('SIGUSR2');
    const metrics = await readMetrics(service);
    least = Math.min(least, (metrics.get('nodejs_heap_size_used_bytes') ?? NaN) / megabyte);
  }
  return Math.round(least * 10) / 10;
};
