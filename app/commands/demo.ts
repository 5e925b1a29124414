import { Command } from 'commander';
import { toError } from 'fp-ts/Either';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type AnimalStoreClient, animalStoreClient } from '../../adapters/client';
import type { Pet } from '../../core';
import { interruptible, receivedSignal } from '../terminal/signals';
import type { Terminal } from '../terminal/terminal';
import { grouped } from '../terminal/text';
import { withTemporaryFolder } from '../transfer/files';
import { openDemoScreen } from './demo-screen';

type Screen = ReturnType<typeof openDemoScreen>;

const clients = 16;
const writingMs = 4_000;
const outageMs = 1_000;
const retryForMs = 30_000;

interface Service {
  readonly child: ChildProcess;
  readonly address: string;
}

/** Starts `serve` as a separate process, and waits until it has printed its address. */
const startService = async (folder: string, apiKey: string, port = '0'): Promise<Service> => {
  const child = spawn(process.execPath, [join(__dirname, '..', 'main.js'), 'serve'], {
    cwd: folder,
    env: { API_KEYS: apiKey, DATABASE_URL: 'sqlite:animals.sqlite3', LOG_LEVEL: 'silent', PORT: port },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let printed = '';
  for await (const text of child.stderr.setEncoding('utf8')) {
    printed += String(text);
    const [, address] = /serves (\S+) with/.exec(printed) ?? [];
    if (address !== undefined) return { child, address };
  }
  throw new Error(`the service did not start: ${printed.trim().replace(/^error: /, '')}`);
};

const kill = async ({ child }: Service): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
};

/** Lets clients add animals until `stop` is called. Adds acknowledged animals to `acknowledged`, by name. */
const startClients = (animals: AnimalStoreClient, acknowledged: Map<string, bigint>) => {
  let replays = 0;
  let isOver = false;
  const addAnimals = async (client: number): Promise<void> => {
    for (let number = 1; !isOver; number += 1) {
      const name = `animal ${number} of client ${client}`;
      const { pet, replayed } = await animals.createWithDetails({ name, categoryId: client });
      acknowledged.set(name, pet.id);
      if (replayed) replays += 1;
    }
  };
  const ended = Promise.all(Array.from({ length: clients }, (_, client) => addAnimals(client)));
  const stop = async (): Promise<{ readonly replays: number }> => {
    isOver = true;
    await ended;
    return { replays };
  };
  return { ended, stop };
};

/** Prints how many acknowledged animals are stored. Returns true if each is stored once. */
const printCounts = (
  acknowledged: ReadonlyMap<string, bigint>,
  stored: ReadonlyArray<Pet>,
  replays: number,
  { style, line }: Screen,
): boolean => {
  const found = stored.filter(({ id, name }) => acknowledged.get(name) === id).length;
  const twice = stored.length - new Set(stored.map(({ name }) => name)).size;
  const isRight = found === acknowledged.size && twice === 0;
  const counts = `${grouped(acknowledged.size)} acknowledged, ${grouped(found)} found, ${twice === 0 ? 'none' : grouped(twice)} twice`;
  line(`\n  ${style(isRight ? 'green' : 'red', style('bold', counts))}`);
  const unanswered = `stored at the kill, but unanswered: ${grouped(replays)}; their retries added nothing`;
  line(`  ${replays === 0 ? 'each animal stored at the kill was acknowledged' : unanswered}\n`);
  return isRight;
};

/** Runs the demo on an empty store in a folder. Returns true if each acknowledged animal was found once. */
const runDemo = async (folder: string, terminal: Terminal, signal: AbortSignal): Promise<boolean> => {
  const apiKey = randomBytes(24).toString('base64url');
  const acknowledged = new Map<string, bigint>();
  const screen = openDemoScreen(terminal, () => acknowledged.size);
  const { style, line, event, endChart } = screen;
  line(`\n  ${style('bold', `${clients} clients add animals, and the service is killed in the middle`)}\n`);
  let service = await startService(folder, apiKey);
  try {
    event(`the service runs as process ${service.child.pid}, on an empty database`);
    const animals = animalStoreClient({ baseUrl: service.address, apiKey, retryForMs, signal });
    const { ended, stop } = startClients(animals, acknowledged);
    const letRun = (milliseconds: number) =>
      Promise.race([ended, delay(milliseconds, undefined, { signal })]);
    event('the clients begin; each create has an Idempotency-Key');
    await letRun(writingMs);

    await kill(service);
    event(style('red', 'kill -9: the process is gone, and no client knows what was stored'));
    await letRun(outageMs);
    service = await startService(folder, apiKey, new URL(service.address).port);
    event(`the service runs again, as process ${service.child.pid}; the clients retry`);
    await letRun(writingMs);

    const { replays } = await stop();
    event('the clients are done; now every animal is read back through the API');
    const stored = await animals.list().toArray();
    endChart();
    return printCounts(acknowledged, stored, replays, screen);
  } finally {
    endChart();
    await kill(service);
  }
};

export const demoCommand = (terminal: Terminal): Command =>
  new Command('demo')
    .summary('kill a service, and lose no animal')
    .description(`kill a service while ${clients} clients add animals to it, and count what is left`)
    .action(() =>
      interruptible(async (signal) => {
        try {
          const areAllStored = await withTemporaryFolder((folder) => runDemo(folder, terminal, signal));
          if (!areAllStored) terminal.setExitCode(1);
        } catch (error) {
          const received = receivedSignal();
          if (received === undefined) terminal.printMessage(toError(error).message, 'error');
          terminal.setExitCode(received ?? 1);
        }
      }),
    );
