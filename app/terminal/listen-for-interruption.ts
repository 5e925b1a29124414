/** What SIGINT or SIGTERM asks a command to stop by. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** The signal that came, if one has. */
  readonly by: () => InterruptionName | undefined;
}

export type InterruptionName = 'SIGINT' | 'SIGTERM';

const names: ReadonlyArray<InterruptionName> = ['SIGINT', 'SIGTERM'];

/** From now on the first signal only asks; the same signal once more ends the process at once. */
export const listenForInterruption = (): Interruption => {
  const controller = new AbortController();
  let by: InterruptionName | undefined;
  for (const name of names) {
    process.once(name, () => {
      by ??= name;
      controller.abort();
    });
  }
  return { signal: controller.signal, by: () => by };
};
