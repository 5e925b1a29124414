import { toError } from 'fp-ts/Either';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { signalExitCode } from './signal-exit-code';
import { unblockTerminal } from './unblock-terminal';
import { visibleJson } from './visible-json';
import { writeWhole } from './write-whole';

/** A stream that is a terminal has columns. */
type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** The part of a process that a command line uses: `process` itself, or what a test puts in its place. */
export interface Surroundings {
  readonly env: NodeJS.ReadOnlyDict<string>;
  readonly stdout: Output;
  readonly stderr: Output;
}

/** How a command ended. */
export interface CommandEnd {
  readonly exitCode: number;
  /** Whether it was told to stop: what nobody has taken by now keeps the process no longer. */
  readonly isStopped: boolean;
}

/** Where a command reads its settings and writes to, and what it comes to. */
export interface Terminal extends Surroundings {
  /** Says a line to the person at the terminal. Standard output is for data alone. */
  readonly say: (text: string) => void;
  /** Writes data to standard output. A write that fails is said on standard error, and is a failure. */
  readonly write: (text: string) => void;
  /** Prints data: for a program as one JSON text, else as lines that a person reads. */
  readonly print: (json: boolean, data: unknown, text: string) => void;
  /** Ends with this exit code; of several that aren't 0 the first counts. */
  readonly fail: (exitCode: number) => void;
  /** The command was told to stop. */
  readonly stop: () => void;
  /** Resolves when all is written; for a command that was told to stop, after a second at the latest. */
  readonly end: () => Promise<CommandEnd>;
}

/** In milliseconds. */
const lastWait = 1_000;

const exitCodeOf = (error: Error): number =>
  'code' in error && error.code === 'EPIPE' ? signalExitCode('SIGPIPE') : 1;

export const openTerminal = ({ env, stdout, stderr }: Surroundings): Terminal => {
  let exitCode = 0;
  let isStopped = false;
  let said: Promise<unknown> = Promise.resolve();
  let written: Promise<unknown> = Promise.resolve();

  for (const output of [stdout, stderr]) {
    unblockTerminal(output);
    // Each failed write is told to who wrote; who read the messages may have gone, and the work goes on.
    output.on('error', () => undefined);
  }

  const say = (text: string): void => {
    said = writeWhole(stderr, `${text}\n`).catch(() => undefined);
  };

  const fail = (code: number): void => {
    if (exitCode === 0) exitCode = code;
  };

  const write = (text: string): void => {
    written = writeWhole(stdout, text).catch((cause: unknown) => {
      const error = toError(cause);
      say(`animal-store: standard output was not written: ${error.message}`);
      fail(exitCodeOf(error));
    });
  };

  return {
    env,
    stdout,
    stderr,
    say,
    write,
    print: (json, data, text) => {
      write(`${json ? visibleJson(data) : text}\n`);
    },
    fail,
    stop: () => {
      isStopped = true;
    },
    end: async () => {
      const all = written.then(() => said);
      await (isStopped ? Promise.race([all, delay(lastWait)]) : all);
      return { exitCode, isStopped };
    },
  };
};
