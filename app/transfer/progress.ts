import type { Terminal } from '../terminal/terminal';

interface Progress {
  readonly unit?: string;
  readonly count: () => number;
  readonly fraction?: () => number | undefined;
}

const progressIntervalMs = 5_000;

/**
 * Prints the progress of a command in `app/commands`, such as `import`, until the returned function is called. Prints
 * nothing if standard error is not a terminal.
 */
export const showProgress = (
  {
    printError,
    stderr,
  }: { readonly stderr: Pick<Terminal['stderr'], 'isTTY'> } & Pick<Terminal, 'printError'>,
  { unit = 'animals', count, fraction = () => undefined }: Progress,
): (() => void) => {
  if (stderr.isTTY !== true) return () => undefined;
  const began = performance.now();
  const timer = setInterval(() => {
    const seconds = (performance.now() - began) / 1_000;
    const done = fraction() ?? 0;
    const left = done === 0 ? '' : `, ${Math.ceil((seconds * (1 - done)) / done)} s left`;
    printError(`${count()} ${unit}, ${Math.round(count() / seconds)} per second${left}`);
  }, progressIntervalMs);
  return () => {
    clearInterval(timer);
  };
};
