import { type Environment, type Outcome, type Running, startCommand } from '../processes/command';

/** A service that answers requests, and what it has written until now. */
export interface RunningService {
  /** As in `http://127.0.0.1:3000`. */
  readonly address: string;
  /** Where it shows its metrics, if ADMIN_PORT is set. */
  readonly adminAddress: () => Promise<string>;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Tells it to stop, and waits until it has. */
  readonly stop: () => Promise<Outcome>;
}

/** A service in a process of its own. */
export interface ServiceProcess extends Running, RunningService {
  /** The key that it prints on a first start; rejects when the process ends without one. */
  readonly firstKey: () => Promise<string>;
  /** The command that it prints with that key, to be pasted into a shell. */
  readonly firstCall: () => Promise<string>;
}

const services = new Set<Running>();

const printed = (running: Running, pattern: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    const look = (): boolean => {
      const found = pattern.exec(running.stderr())?.[1];
      if (found !== undefined) resolve(found);
      return found !== undefined;
    };
    // A listener for each call would be one too many for a test that asks all the time.
    if (look()) return;
    running.onChange(look);
    running.ended.then(({ stdout, stderr }) => {
      reject(new Error(`the service ended without ${pattern.source}: ${stderr}${stdout}`));
    }, reject);
  });

/** Starts a service on a free port, and waits until it answers. */
export const startService = async (environment: Environment, folder?: string): Promise<ServiceProcess> => {
  const running = startCommand(['serve'], { PORT: '0', ...environment }, folder);
  services.add(running);
  void running.ended.finally(() => services.delete(running));
  return {
    ...running,
    address: await printed(running, /serves (http:\S+) .*\n/),
    adminAddress: () => printed(running, /without a key: (http:\S+)\n/),
    firstKey: () => printed(running, /shown only once: (\S+)\n/),
    firstCall: () => printed(running, /Try it: (.+)\n/),
    stop: () => {
      running.signal('SIGTERM');
      return running.ended;
    },
  };
};

/** Ends what a failed test has left behind. */
export const killServices = async (): Promise<void> => {
  const left = [...services];
  for (const { signal } of left) signal('SIGKILL');
  await Promise.all(left.map(({ ended }) => ended));
};

/** Starts several services at once on one database. */
export const startServices = (
  count: number,
  databaseUrl: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<ReadonlyArray<ServiceProcess>> =>
  Promise.all(
    Array.from({ length: count }, () =>
      startService({ DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent', ...settings }),
    ),
  );
