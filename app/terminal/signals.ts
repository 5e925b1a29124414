import { constVoid } from 'fp-ts/function';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { isatty } from 'node:tty';

type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/**
 * True if no standard stream is a terminal, as under `nohup`. The program then ignores SIGHUP itself, because Node
 * resets the signals that `nohup` has set to be ignored.
 */
const ignoresHangup = ![0, 1, 2].some(isatty);

const stopSignals: ReadonlyArray<StopSignal> = [
  'SIGINT',
  'SIGTERM',
  ...(ignoresHangup ? [] : (['SIGHUP'] as const)),
];

/** Listeners of modules that were loaded before the program, such as OpenTelemetry's, which sends its last spans. */
let preloaded: ReadonlyArray<(signal: NodeJS.Signals) => unknown> = [];

/**
 * Holds back the listeners of preloaded modules, which would act before the service has stopped. As process 1 of a
 * container, exits at a stop signal that nothing else handles, because the kernel ignores such a signal
 * (pid_namespaces(7)).
 */
export const prepareSignals = (): void => {
  preloaded = [...new Set(stopSignals.flatMap((signal) => process.listeners(signal)))];
  for (const signal of stopSignals) process.removeAllListeners(signal);
  if (ignoresHangup) process.on('SIGHUP', constVoid);
  if (process.pid !== 1) return;
  for (const signal of stopSignals) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(signalExitCode(signal));
    });
  }
};

/** Runs the listeners of preloaded modules after a stop signal, when the work has ended. Waits for them at most 3 s. */
export const runPreloadedListeners = async (): Promise<void> => {
  const signal = received;
  if (signal === undefined) return;
  const all = Promise.allSettled(
    preloaded.map(async (listener) => {
      await listener(signal);
    }),
  );
  await Promise.race([all, delay(preloadedMs)]);
};

const preloadedMs = 3_000;

/** Resolves to the next stop signal. A second SIGINT or SIGTERM, more than 2 s after the first, ends the process. */
export const nextStopSignal = (): Promise<StopSignal> =>
  new Promise((resolve) => {
    onStopSignal(resolve);
  });

/** Runs the work of a command, and aborts it at the first stop signal. */
export const interruptible = async (work: (signal: AbortSignal) => Promise<void>): Promise<void> => {
  const controller = new AbortController();
  const ignoreSignals = onStopSignal(() => {
    controller.abort();
  });
  try {
    await work(controller.signal);
  } finally {
    ignoreSignals();
  }
};

/**
 * Calls `stop` at a stop signal. After a SIGINT or SIGTERM, ignores both for a time, and then lets the next one end the
 * process. SIGHUP never ends the process, because the kernel and the shell may both send it when a terminal is lost.
 * Returns a function that removes the handlers.
 */
const onStopSignal = (stop: (signal: StopSignal) => void): (() => void) => {
  let timer: NodeJS.Timeout | undefined;
  const ignoreRepeats = (): void => {
    timer = setTimeout(() => process.off('SIGINT', receive).off('SIGTERM', receive), repeatMs).unref();
  };
  const receive = (signal: StopSignal): void => {
    received ??= signal;
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
  // Removes the handlers at exit, so that a signal can end a process whose last write to a stalled terminal blocks.
  process.prependListener('exit', ignoreSignals);
  return ignoreSignals;
};

/** Time for which further SIGINTs and SIGTERMs are ignored. At a Ctrl-C, the terminal and npm both send SIGINT. */
const repeatMs = 2_000;

let received: StopSignal | undefined;

/** Returns the first stop signal that this process has handled, if any. */
export const receivedSignal = (): StopSignal | undefined => received;

export const signalExitCode = (signal: NodeJS.Signals): number => 128 + constants.signals[signal];
