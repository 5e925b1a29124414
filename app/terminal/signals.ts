import { constVoid } from 'fp-ts/function';
import { constants } from 'node:os';
import { basename } from 'node:path';

type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

export const signalExitCode = (signal: NodeJS.Signals): number => 128 + constants.signals[signal];

/** True under `nohup`. Node resets ignored signals at its start, but shells put the name of the command into `_`. */
const ignoresHangup = basename(process.env['_'] ?? '') === 'nohup';

const stopSignals: ReadonlyArray<StopSignal> = [
  'SIGINT',
  'SIGTERM',
  ...(ignoresHangup ? [] : (['SIGHUP'] as const)),
];

/**
 * Ignores SIGHUP under `nohup`. Process 1, as in a container, exits at a stop signal without another handler. The
 * kernel would ignore the signal there (pid_namespaces(7)).
 */
export const prepareSignals = (): void => {
  if (ignoresHangup) process.on('SIGHUP', constVoid);
  if (process.pid !== 1) return;
  for (const signal of stopSignals) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(signalExitCode(signal));
    });
  }
};

/** Time in which a repeated signal is ignored: both the terminal and npm send a Ctrl-C to the service. */
const repeatMs = 2_000;

/**
 * Calls `stop` at a stop signal. After a SIGINT or SIGTERM and a pause, the next one ends the process, as if it had no
 * handler. SIGHUP may come twice, because the kernel and the shell may both send it when a terminal is lost.
 */
const onStopSignal = (stop: (signal: StopSignal) => void): (() => void) => {
  let timer: NodeJS.Timeout | undefined;
  const ignoreRepeats = (): void => {
    timer = setTimeout(() => process.off('SIGINT', receive).off('SIGTERM', receive), repeatMs).unref();
  };
  const receive = (signal: StopSignal): void => {
    if (signal !== 'SIGHUP') {
      if (timer !== undefined) return;
      ignoreRepeats();
    }
    stop(signal);
  };
  const ignoreSignals = (): void => {
    clearTimeout(timer);
    for (const signal of stopSignals) process.off(signal, receive);
    process.off('exit', ignoreSignals);
  };
  for (const signal of stopSignals) process.on(signal, receive);
  // The last write to a stalled terminal blocks the process, and only a signal without a handler ends it then.
  process.prependListener('exit', ignoreSignals);
  return ignoreSignals;
};

/** Waits for the signal that stops the service. */
export const nextStopSignal = (): Promise<StopSignal> =>
  new Promise((resolve) => {
    onStopSignal(resolve);
  });

interface Interruption {
  readonly signal: AbortSignal;
  readonly receivedSignal: () => StopSignal | undefined;
}

/** Runs the work of a command, and aborts it at the first stop signal. */
export const interruptible = async (work: (interruption: Interruption) => Promise<void>): Promise<void> => {
  const controller = new AbortController();
  let received: StopSignal | undefined;
  const ignoreSignals = onStopSignal((signal) => {
    received ??= signal;
    controller.abort();
  });
  try {
    await work({ signal: controller.signal, receivedSignal: () => received });
  } finally {
    ignoreSignals();
  }
};
