import { MultiBar } from 'cli-progress';
import { say } from './say';

interface Work {
  /** How many animals have been done. */
  readonly count: () => number;
  /** How much of the whole that is, from 0 to 1, where it is known. */
  readonly fraction: () => number | undefined;
}

/** How far a command is, for the person at the terminal or whoever reads its standard error. */
interface Progress {
  /** Says a line that stays. */
  readonly note: (text: string) => void;
  readonly stop: () => void;
}

/** In milliseconds, where there is no terminal to draw on. */
const lineInterval = 5_000;

const inWords = ({ count, fraction }: Work, began: number): string => {
  const seconds = (performance.now() - began) / 1_000;
  const done = fraction();
  const rate = `${count()} animals, ${Math.round(count() / seconds)} a second`;
  return done === undefined || done === 0
    ? rate
    : `${rate}, ${Math.ceil((seconds * (1 - done)) / done)} s left`;
};

const startBar = (work: Work, began: number): Progress => {
  const bars = new MultiBar({
    stream: process.stderr,
    format: work.fraction() === undefined ? '{words}' : '[{bar}] {percentage}%  {words}',
    clearOnComplete: true,
    gracefulExit: false,
  });
  const bar = bars.create(1, 0, { words: '' });
  bars.on('redraw-pre', () => {
    bar.update(work.fraction() ?? 0, { words: inWords(work, began) });
  });
  return {
    note: (text) => {
      bars.log(`${text}\n`);
    },
    stop: () => {
      bars.update();
      bars.stop();
    },
  };
};

const startLines = (work: Work, began: number): Progress => {
  const timer = setInterval(() => {
    say(inWords(work, began));
  }, lineInterval);
  return {
    note: say,
    stop: () => {
      clearInterval(timer);
    },
  };
};

/** Shows a bar with rate and time left at a terminal, and elsewhere a line now and then. */
export const startProgress = (work: Work): Progress =>
  (process.stderr.isTTY ? startBar : startLines)(work, performance.now());
