import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** The built service as a process of its own. */
export type SpawnedService = Readonly<{
  host: string;
  port: number;
  /** Lines of standard output so far. */
  logLines: ReadonlyArray<string>;
  /** Lines of standard error so far. */
  messages: ReadonlyArray<string>;
  /** Sends SIGTERM and waits: the exit code. */
  stop: () => Promise<number | null>;
}>;

const patience = 15_000;
const addressPattern = /animal-store serves http:\/\/([^:\s]+):([0-9]+)/;

/** Starts `dist/app/main.js serve` with exactly these settings, and waits for the address that it prints. */
export const spawnService = async (settings: Readonly<Record<string, string>>): Promise<SpawnedService> => {
  const child = spawn(process.execPath, ['dist/app/main.js', 'serve'], {
    env: { PATH: process.env['PATH'], PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close');
  const logLines: Array<string> = [];
  const messages: Array<string> = [];
  createInterface({ input: child.stdout }).on('line', (line) => logLines.push(line));
  const { host, port } = await new Promise<Pick<SpawnedService, 'host' | 'port'>>((resolve, reject) => {
    const give = (reason: string) => {
      child.kill('SIGKILL');
      reject(new Error(`the service ${reason}: ${messages.join('\n')}`));
    };
    const timer = setTimeout(give, patience, 'did not start in time');
    child.once('close', () => {
      give('ended before it served');
    });
    createInterface({ input: child.stderr }).on('line', (line) => {
      messages.push(line);
      const [, host, port] = addressPattern.exec(line) ?? [];
      if (host === undefined || port === undefined) return;
      clearTimeout(timer);
      resolve({ host, port: Number(port) });
    });
  });
  const stop = async () => {
    child.kill('SIGTERM');
    await closed;
    return child.exitCode;
  };
  return { host, port, logLines, messages, stop };
};
