import { type ServiceProcess, startService } from './service-process';

/** The key that opens a service run by a test. */
export const apiKey = 'a-key-for-tests';

/** Runs the built service in a process of its own, animals in memory, with these settings on top. */
export const runService = (settings: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> =>
  startService({ DATABASE_URL: 'memory:', API_KEYS: apiKey, ...settings });
