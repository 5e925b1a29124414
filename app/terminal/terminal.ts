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

export const openTerminal = ({ env, stdout, stderr }: ProcessIO) => {
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
    print: (json: boolean, data: unknown, text: string): void => {
      write(`${json ? toPrintableJson(data) : text}\n`);
    },
    fail,
    /** Lets the process exit while its output is unread. */
    stop: (): void => {
      isStopped = true;
    },
    end: async () => {
      const all = written.then(() => printed);
      await (isStopped ? Promise.race([all, delay(processTimeouts.outputCloseMs)]) : all);
      return { exitCode, isStopped };
    },
  };
};

export type Terminal = ReturnType<typeof openTerminal>;
