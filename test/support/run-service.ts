import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface RunningService {
  /** As in `http://127.0.0.1:3000`. */
  readonly address: string;
  readonly stop: () => Promise<void>;
}

/** The key that opens a service run by a test. */
export const apiKey = 'a-key-for-tests';

/** Runs the built service in a process of its own, animals in memory, with these settings on top. */
export const runService = async (
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningService> => {
  const child = spawn(process.execPath, ['dist/app/main.js', 'serve'], {
    env: { PORT: '0', DATABASE_URL: 'memory:', API_KEYS: apiKey, ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  const said: Array<string> = [];
  for await (const line of createInterface({ input: child.stderr })) {
    const address = /serves (http:\S+)/.exec(line)?.[1];
    if (address !== undefined) {
      child.stderr.resume();
      return {
        address,
        stop: async () => {
          child.kill('SIGTERM');
          await exited;
        },
      };
    }
    said.push(line);
  }
  throw new Error(`the service did not start: ${said.join('\n')}`);
};
