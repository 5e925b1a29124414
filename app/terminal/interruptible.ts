import type { Terminal } from './terminal';

/** What SIGINT or SIGTERM asks a command to stop by. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** The signal that came, if one has. */
  readonly by: () => InterruptionName | undefined;
}

export type InterruptionName = 'SIGINT' | 'SIGTERM';

const names: ReadonlyArray<InterruptionName> = ['SIGINT', 'SIGTERM'];

/**
 * Runs work that the first signal only asks to stop; the same signal once more ends the process at once, as any does
 * once the work is over.
 */
export const interruptible = async (
  { stop }: Terminal,
  work: (interruption: Interruption) => Promise<void>,
): Promise<void> => {
  const controller = new AbortController();
  let by: InterruptionName | undefined;
  const interrupt = (name: InterruptionName): void => {
    by ??= name;
    stop();
    controller.abort();
  };
  for (const name of names) process.once(name, interrupt);
  try {
    await work({ signal: controller.signal, by: () => by });
  } finally {
    for (const name of names) process.off(name, interrupt);
  }
};
