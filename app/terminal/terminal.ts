import { toError } from 'fp-ts/Either';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from '../error-code';
import { signalExitCode } from './signals';
import { setNonBlocking, toPrintableJson, writeFully } from './streams';
import { processTimeouts } from '../../core/timeouts';

type Output = Writable & { readonly isTTY?: boolean };

export interface ProcessIO {
  readonly env: NodeJS.ReadOnlyDict<string>;
  readonly stdout: Output;
  readonly stderr: Output;
}

export interface CommandEnd {
  readonly exitCode: number;
  /** True if the command was told to stop. The process then exits without waiting for unread output. */
  readonly isStopped: boolean;
}

export interface Terminal extends ProcessIO {
  readonly printError: (text: string) => void;
  /** Writes to standard output. A failed write is reported on standard error and sets the exit code. */
  readonly write: (text: string) => void;
  readonly print: (json: boolean, data: unknown, text: string) => void;
  readonly fail: (exitCode: number) => void;
  readonly stop: () => void;
  /** Resolves when all output is written. If the command was told to stop, waits for at most a second. */
  readonly end: () => Promise<CommandEnd>;
}

export const openTerminal = ({ env, stdout, stderr }: ProcessIO): Terminal => {
  let exitCode = 0;
  let isStopped = false;
  let printed: Promise<unknown> = Promise.resolve();
  let written: Promise<unknown> = Promise.resolve();

  for (const output of [stdout, stderr]) {
    setNonBlocking(output);
    // Each write reports its own failure. An unhandled error event would end the process.
    output.on('error', () => undefined);
  }

  const printError = (text: string): void => {
    printed = writeFully(stderr, `${text}\n`).catch(() => undefined);
  };

  const fail = (code: number): void => {
    if (exitCode === 0) exitCode = code;
  };

  const write = (text: string): void => {
    written = writeFully(stdout, text).catch((cause: unknown) => {
      printError(`animal-store: standard output was not written: ${toError(cause).message}`);
      fail(errorCode(cause) === 'EPIPE' ? signalExitCode('SIGPIPE') : 1);
    });
  };

  return {
    env,
    stdout,
    stderr,
    printError,
    write,
    print: (json, data, text) => {
      write(`${json ? toPrintableJson(data) : text}\n`);
    },
    fail,
    stop: () => {
      isStopped = true;
    },
    end: async () => {
      const all = written.then(() => printed);
      await (isStopped ? Promise.race([all, delay(processTimeouts.outputCloseMs)]) : all);
      return { exitCode, isStopped };
    },
  };
};

interface Progress {
  readonly unit?: string;
  readonly count: () => number;
  readonly fraction?: () => number | undefined;
}

const progressIntervalMs = 5_000;

/** Prints the progress to standard error every 5 s, until the function that it returns is called. */
export const showProgress = (
  { printError }: Pick<Terminal, 'printError'>,
  { unit = 'animals', count, fraction = () => undefined }: Progress,
): (() => void) => {
  const began = performance.now();
  const timer = setInterval(() => {
    const seconds = (performance.now() - began) / 1_000;
    const done = fraction() ?? 0;
    const left = done === 0 ? '' : `, ${Math.ceil((seconds * (1 - done)) / done)} s left`;
    printError(`${count()} ${unit}, ${Math.round(count() / seconds)} per second${left}`);
  }, progressIntervalMs);
  return () => {
    clearInterval(timer);
  };
};
