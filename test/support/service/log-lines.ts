export type LogLine = Readonly<Record<string, unknown>>;

const isLine = (value: unknown): value is LogLine => typeof value === 'object' && value !== null;

/** Parses the lines of a log, except for a last line that is still being written. */
export const logLines = (log: string): ReadonlyArray<LogLine> =>
  log
    .split('\n')
    .slice(0, -1)
    .map((line): unknown => JSON.parse(line))
    .filter(isLine);
