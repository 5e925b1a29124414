import { setTimeout as delay } from 'node:timers/promises';
import { environmentOf } from '../support/http/client';
import { startFreezingProxy } from '../support/postgres/freezing-proxy';
import { type Environment, type Running, startCommand } from '../support/processes/command';
import { freePort, pidOf } from '../support/processes/system';
import { whenServing } from '../support/service/service-process';
import { starvedMs } from '../faults/support/measures';
import { otherBuild } from '../faults/support/builds';

/** Environments of this build and of one with a migration that adds a column. */
export const builds: readonly [Environment, Environment] = [{}, otherBuild('adds')];

/** Maximum time to start. Each attempt may meet another fault, and takes 20 s on a busy machine. */
const startTimeoutMs = 300_000;
const retryPauseMs = 200;

/** Makes a service behind a proxy, with a supervisor that starts it until it serves. */
const newInstance = async (number: number, databaseUrl: string) => {
  const port = await freePort();
  const cable = await startFreezingProxy(port);
  const environment = { ...environmentOf(databaseUrl), PORT: `${port}` };
  const unexpectedEnds: Array<string> = [];
  let running: Running | undefined;
  let isAsked = false;
  let [latest] = builds;

  const startOnce = async (build: Environment): Promise<boolean> => {
    const started = startCommand(['serve'], { ...environment, ...build });
    isAsked = false;
    running = started;
    const isServing = await whenServing(started).then(
      () => true,
      () => false,
    );
    if (!isServing) return false;
    void started.ended.then(({ code, stderr }) => {
      if (running === started && !isAsked)
        unexpectedEnds.push(`instance ${number} ended with ${code}: ${stderr}`);
    });
    return true;
  };
  const start = async (build = latest): Promise<void> => {
    latest = build;
    const began = performance.now();
    const failures: Array<string> = [];
    while (!(await startOnce(build))) {
      failures.push(running?.stderr() ?? '');
      if (performance.now() - began > startTimeoutMs)
        throw new Error(`instance ${number} does not start:\n${failures.join('')}`);
      await delay(retryPauseMs);
    }
  };
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    isAsked = true;
    running?.signal(signal);
    await running?.ended;
  };

  return {
    number,
    address: `http://127.0.0.1:${cable.port}`,
    cable,
    unexpectedEnds,
    start,
    end,
    signal: (name: 'SIGSTOP' | 'SIGCONT'): void => running?.signal(name),
    starvedMs: () => (running === undefined ? 0 : starvedMs(pidOf(running))),
  };
};

export type Instance = Awaited<ReturnType<typeof newInstance>>;

/** Starts an instance for each database address, and kills the instances afterwards. */
export const withInstances = async <A>(
  databaseUrls: ReadonlyArray<string>,
  use: (instances: ReadonlyArray<Instance>) => Promise<A>,
): Promise<A> => {
  const instances = await Promise.all(databaseUrls.map((url, number) => newInstance(number, url)));
  try {
    for (const each of instances) await each.start();
    return await use(instances);
  } finally {
    for (const each of instances) {
      each.signal('SIGCONT');
      await each.end('SIGKILL');
      await each.cable.close();
    }
  }
};
