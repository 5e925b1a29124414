import type { Browser } from 'playwright-core';
import { useBrowser } from '../browser';
import type { Listening } from '../http/listen';
import { behindPath } from '../http/proxies';
import { apiKey } from '../service/serve-in-process';
import { type ServiceProcess, startService } from '../service/service-process';

interface ServedPages {
  readonly browser: Pick<Browser, 'newContext' | 'newPage'>;
  readonly address: () => string;
  /** Address of the service behind a proxy, with a path. */
  readonly proxyAddress: () => string;
}

/** Starts a service in memory, a proxy and a browser before the tests of a suite, or skips them without a browser. */
export const useServedPages = (): ServedPages => {
  const browser = useBrowser();
  let service: ServiceProcess | undefined;
  let proxy: Listening | undefined;
  before(async () => {
    service = await startService({ DATABASE_URL: 'memory:', API_KEYS: apiKey });
    proxy = await behindPath('/store', service.address);
  });
  after(async () => {
    await proxy?.close();
    await service?.stop();
  });
  return { browser, address: () => service?.address ?? '', proxyAddress: () => proxy?.address ?? '' };
};
