import { constants } from 'node:os';

export const signalExitCode = (signal: NodeJS.Signals): number => 128 + constants.signals[signal];

type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

const stopSignals: ReadonlyArray<StopSignal> = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Exits the process at a stop signal that has no other handler. main.ts calls it for process 1, as in a container,
 * because the kernel ignores signals without a handler there (pid_namespaces(7)).
 */
export const endBySignals = (): void => {
  for (const signal of stopSignals) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(signalExitCode(signal));
    });
  }
};

/**
 * True for SIGHUP, which may come twice: when a terminal or an ssh connection is lost, the kernel and the shell may
 * both send it.
 */
const mayRepeat = (signal: StopSignal): boolean => signal === 'SIGHUP';

/**
 * Waits for the signal that stops the service, for commands/serve.ts. A second SIGTERM or SIGINT ends the process at
 * once.
 */
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
 * Runs the work of a command, for `runInterruptible` of commands/run.ts, and aborts it at the first stop signal. If the
 * same signal arrives again, it kills the process, as if it had no handler. Only a second SIGHUP is ignored.
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
