import { fstatSync } from 'node:fs';
import type { Writable } from 'node:stream';

const priorities: Readonly<Record<string, number>> = { fatal: 2, error: 3, warn: 4, info: 6 };

const debugPriority = 7;

/**
 * Returns a function that makes the beginning of a line, such as `<3>` for an error. The journal of systemd reads it as
 * the line's priority (sd-daemon(3)). Returns undefined for an output that is not the journal (systemd.exec(5),
 * JOURNAL_STREAM).
 */
export const journalPrefix = (
  output: Writable,
  env: NodeJS.ReadOnlyDict<string>,
): ((level: string) => string) | undefined => {
  if (env['JOURNAL_STREAM'] === undefined || !('fd' in output) || typeof output.fd !== 'number')
    return undefined;
  const { dev, ino } = fstatSync(output.fd);
  if (env['JOURNAL_STREAM'] !== `${dev}:${ino}`) return undefined;
  return (level) => `<${priorities[level] ?? debugPriority}>`;
};
