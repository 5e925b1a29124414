import { signalExitCode } from './signal-exit-code';

/**
 * Has a signal that nothing else listens to end the process, as it ends any. The kernel spares process 1, which that of a
 * container is, whatever it does not handle (pid_namespaces(7)).
 */
export const endBySignals = (): void => {
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (process.listenerCount(name) === 1) process.exit(signalExitCode(name));
    });
  }
};
