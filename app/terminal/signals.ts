import { constants } from 'node:os';

export const signalExitCode = (signal: NodeJS.Signals): number => 128 + constants.signals[signal];

type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** Signals that stop a command. The kernel sends SIGHUP when a terminal or an ssh connection is lost. */
const stopSignals: ReadonlyArray<StopSignal> = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Exits at a stop signal that has no other handler. For process 1, as in a container, the kernel ignores signals
 * that have no handler (pid_namespaces(7)).
 */
export const endBySignals = (): void => {
  for (const signal of stopSignals) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(signalExitCode(signal));
    });
  }
};

/** True for SIGHUP, which is no sign of impatience: when a terminal is lost, kernel and shell may both send it. */
const mayRepeat = (signal: StopSignal): boolean => signal === 'SIGHUP';

/** Waits for the signal that stops the command `serve`. A second SIGTERM or SIGINT ends the process at once. */
export const nextStopSignal = (): Promise<StopSignal> =>
  new Promise((resolve) => {
    let isReceived = false;
    const receive = (signal: StopSignal): void => {
      if (!mayRepeat(signal)) {
        if (isReceived) process.exit(1);
        isReceived = true;
      }
      resolve(signal);
    };
    for (const signal of stopSignals) process.on(signal, receive);
  });

export interface Interruption {
  readonly signal: AbortSignal;
  readonly receivedSignal: () => StopSignal | undefined;
}

/**
 * Aborts the work of a command, started by `runInterruptible` of commands/run.ts, at the first stop signal. The
 * same signal again kills the process, as without a handler, but not a second SIGHUP.
 */
export const interruptible = async (
  { stop }: { readonly stop: () => void },
  work: (interruption: Interruption) => Promise<void>,
): Promise<void> => {
  const controller = new AbortController();
  let received: StopSignal | undefined;
  const interrupt = (signal: StopSignal): void => {
    received ??= signal;
    stop();
    controller.abort();
  };
  for (const signal of stopSignals) process[mayRepeat(signal) ? 'on' : 'once'](signal, interrupt);
  try {
    await work({ signal: controller.signal, receivedSignal: () => received });
  } finally {
    for (const signal of stopSignals) process.off(signal, interrupt);
  }
};
