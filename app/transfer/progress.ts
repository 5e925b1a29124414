import type { Terminal } from '../terminal/terminal';

/** Number of rows or animals that a command has transferred. */
export interface Progress {
  readonly unit: string;
  readonly count: () => number;
}

const progressIntervalMs = 5_000;

/** Prints the progress of a command to a terminal, for commands/run.ts, until the returned function is called. */
export const showProgress = (
  {
    printError,
    stderr,
  }: { readonly stderr: Pick<Terminal['stderr'], 'isTTY'> } & Pick<Terminal, 'printError'>,
  { unit, count }: Progress,
): (() => void) => {
  if (stderr.isTTY !== true) return () => undefined;
  const began = performance.now();
  const timer = setInterval(() => {
    const perSecond = (count() / (performance.now() - began)) * 1_000;
    printError(`${count()} ${unit}, ${Math.round(perSecond)} per second`);
  }, progressIntervalMs);
  return () => {
    clearInterval(timer);
  };
};
