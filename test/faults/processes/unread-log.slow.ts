import { expect } from 'chai';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../../support/eventually';
import { call, keepAliveAgent } from '../../support/http/client';
import { main, projectFolder, startProgram } from '../../support/processes/command';
import { makeFolder, removeFolders } from '../../support/temporary-folder';

/** Settings with which health checks are logged. */
const environment = { PORT: '0', DATABASE_URL: 'memory:', API_KEYS: 'a-key', LOG_LEVEL: 'debug' };

const boundMs = 15_000;

/** More lines than any pipe or terminal holds. */
const many = 4_000;

const agent = keepAliveAgent();

const ask = async (address: string, count: number): Promise<void> => {
  const statuses = new Set<unknown>();
  const client = async (): Promise<void> => {
    for (let done = 0; done < count / 8; done += 1)
      statuses.add((await call(`${address}/livez`, { agent })).status);
  };
  await Promise.all(Array.from({ length: 8 }, client));
  expect([...statuses]).to.deep.equal([200]);
};

/** Finds the address in the message of a start, or in the banner of a terminal. */
const addressIn = (text: string): string | undefined => /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0];

/**
 * Expects that a service answers, and stops at a signal, although it cannot write its log to the descriptor `output`.
 * Closes the descriptor in this process.
 */
const expectToServe = async (output: number, afterSome = (): void => undefined): Promise<void> => {
  const child = spawn(process.execPath, [main, 'serve'], {
    cwd: projectFolder,
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', output, 'pipe'],
  });
  closeSync(output);
  let messages = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (messages += chunk));
  await eventually('it serves', 20_000, () => addressIn(messages) !== undefined);
  const address = addressIn(messages) ?? '';
  await ask(address, 8);
  afterSome();
  await ask(address, many);
  child.kill('SIGTERM');
  const killer = setTimeout(() => child.kill('SIGKILL'), boundMs);
  await once(child, 'close');
  clearTimeout(killer);
  expect([child.exitCode, child.signalCode]).to.deep.equal([0, null]);
};

const makePipe = async () => {
  const path = join(await makeFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { reader, writer: openSync(path, 'w') };
};

describe('A service whose log can not be written', () => {
  afterEach(removeFolders);

  it('answers and stops when the disk is full', () => expectToServe(openSync('/dev/full', 'w')));

  it('answers and stops when the reader of a pipe has gone', async () => {
    const { reader, writer } = await makePipe();
    await expectToServe(writer, () => {
      closeSync(reader);
    });
  });

  it('answers and stops when the reader of a pipe has stalled', async () => {
    const { reader, writer } = await makePipe();
    await expectToServe(writer);
    closeSync(reader);
  });

  it('answers at a stalled terminal, and stops at a second signal', async function () {
    if ((await startProgram('sh', ['-c', 'command -v script']).ended).code !== 0) this.skip();
    const folder = await makeFolder();
    const serve = `echo $$ > ${folder}/pid; exec ${process.execPath} ${main} serve`;
    const terminal = spawn('script', ['-qec', serve, '/dev/null'], {
      env: { PATH: process.env['PATH'], ...environment },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let shown = '';
    terminal.stdout.setEncoding('utf8').on('data', (chunk: string) => (shown += chunk));
    await eventually('it serves', 20_000, () => addressIn(shown) !== undefined);
    terminal.stdout.pause();
    const pid = Number(await readFile(join(folder, 'pid'), 'utf8'));
    /**
     * Sends a signal. Returns false once the process has ended: it is a zombie, or has no file in /proc, because its
     * parent has waited for it.
     */
    const terminate = (): boolean => {
      try {
        if (/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))) return false;
        return process.kill(pid, 'SIGTERM');
      } catch {
        return false;
      }
    };
    try {
      await ask(addressIn(shown) ?? '', many);
      await eventually('a second signal has ended it', boundMs, () => !terminate());
    } finally {
      terminal.kill('SIGKILL');
    }
  });
});
