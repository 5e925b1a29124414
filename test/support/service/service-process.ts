import { type Environment, type Outcome, type Running, startCommand } from '../processes/command';

/** Running service, with its output so far. */
export interface RunningService {
  /** Address such as `http://127.0.0.1:3000`. */
  readonly address: string;
  /** Waits for the address of the metrics. Needs the setting ADMIN_PORT. */
  readonly adminAddress: () => Promise<string>;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Stops the service, and waits until it has ended. */
  readonly stop: () => Promise<Outcome>;
}

export interface ServiceProcess extends Running, RunningService {
  /** Waits for the API key that the service prints on a first start. Rejects if the process ends without one. */
  readonly firstKey: () => Promise<string>;
  /** Waits for the commands that the service prints with the first API key, to paste into a shell. */
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
    // Checks the existing output first, because a test that polls would otherwise add a listener with each call.
    if (look()) return;
    running.onChange(look);
    running.ended.then(({ code, signal, stdout, stderr }) => {
      const end = `the service ended (${signal ?? `code ${code}`})`;
      reject(new Error(`${end} without ${pattern.source}: ${stderr}${stdout}`));
    }, reject);
  });

/** Waits until a program that runs `serve` has printed its address. */
export const whenServing = async (running: Running): Promise<ServiceProcess> => {
  services.add(running);
  void running.ended.finally(() => services.delete(running));
  return {
    ...running,
    address: await printed(running, /serves (http:\S+) .*\n/),
    adminAddress: () => printed(running, /without a key: (http:[^\s"]+)/),
    firstKey: () => printed(running, /export API_KEY=(\S+)\n/),
    firstCall: () => printed(running, /(export API_KEY=[^]*-d '.+)\n/),
    stop: () => {
      running.signal('SIGTERM');
      return running.ended;
    },
  };
};

/** Starts a service on a free port, and waits until it has printed its address. */
export const startService = (environment: Environment, folder?: string): Promise<ServiceProcess> =>
  whenServing(startCommand(['serve'], { PORT: '0', ...environment }, folder));

/** Kills the services that failed tests have left running. */
export const killServices = async (): Promise<void> => {
  const left = [...services];
  for (const { signal } of left) signal('SIGKILL');
  await Promise.all(left.map(({ ended }) => ended));
};

/** Starts several services at the same time on one database. */
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
