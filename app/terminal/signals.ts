import { constants } from 'node:os';

export const signalExitCode = (signal: NodeJS.Signals): number => 128 + constants.signals[signal];

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type StopSignal = (typeof stopSignals)[number];

/**
 * Exits the process at a stop signal that has no other handler. Process 1 needs it, as in a container, because the
 * kernel ignores signals without a handler there (pid_namespaces(7)).
 */
export const endBySignals = (): void => {
  for (const signal of stopSignals) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(signalExitCode(signal));
    });
  }
};

/**
 * Calls `stop` at a stop signal. After a SIGINT or SIGTERM, the next one ends the process, as if it had no handler. SIGHUP
 * may come twice: when a terminal or an ssh connection is lost, the kernel and the shell may both send it.
 */
const onStopSignal = (stop: (signal: StopSignal) => void): (() => void) => {
  const receive = (signal: StopSignal): void => {
    if (signal !== 'SIGHUP') process.off('SIGINT', receive).off('SIGTERM', receive);
    stop(signal);
  };
  for (const signal of stopSignals) process.on(signal, receive);
  return () => {
    for (const signal of stopSignals) process.off(signal, receive);
  };
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
