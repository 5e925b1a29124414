import type { Terminal } from './terminal';

interface Work {
  /** What is counted: animals, unless it is said. */
  readonly unit?: string;
  /** How many have been done. */
  readonly count: () => number;
  /** How much of the whole that is, from 0 to 1, where it is known. */
  readonly fraction?: () => number | undefined;
}

/** In milliseconds: at a terminal, and where there is none to draw on. */
const intervals = { bar: 100, line: 5_000 };

const barWidth = 20;

const usualColumns = 80;

const barOf = (done: number): string => {
  const filled = Math.round(done * barWidth);
  return `[${'='.repeat(filled)}${'-'.repeat(barWidth - filled)}] ${Math.floor(done * 100)}%  `;
};

/** Back to the start of the line, and what stands there away (ECMA-48, EL). */
const clearLine = '\r\u001b[K';

/** Shows a bar with rate and time left at a terminal, and elsewhere a line now and then. What is noted stays. */
export const startProgress = (
  { stderr, say }: Terminal,
  { unit = 'animals', count, fraction = () => undefined }: Work,
) => {
  const began = performance.now();
  const isTerminal = stderr.isTTY === true;

  const inWords = (done: number | undefined): string => {
    const seconds = (performance.now() - began) / 1_000;
    const rate = `${count()} ${unit}, ${Math.round(count() / seconds)} a second`;
    return done === undefined || done === 0
      ? rate
      : `${rate}, ${Math.ceil((seconds * (1 - done)) / done)} s left`;
  };

  const drawBar = (): void => {
    // A terminal that nobody reads is not to gather pictures of the past.
    if (stderr.writableNeedDrain) return;
    const { columns = 0 } = stderr;
    const done = fraction();
    const picture = `${done === undefined ? '' : barOf(done)}${inWords(done)}`;
    // What is wrapped to a second line can't be cleared.
    stderr.write(`${clearLine}${picture.slice(0, (columns > 0 ? columns : usualColumns) - 1)}`);
  };

  const sayLine = (): void => {
    say(inWords(fraction()));
  };

  const timer = isTerminal ? setInterval(drawBar, intervals.bar) : setInterval(sayLine, intervals.line);
  return {
    note: (text: string): void => {
      say(isTerminal ? `${clearLine}${text}` : text);
    },
    stop: (): void => {
      clearInterval(timer);
      if (!isTerminal) return;
      drawBar();
      stderr.write(clearLine);
    },
  };
};
