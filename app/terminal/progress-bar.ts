import { Format, type Options, SingleBar } from 'cli-progress';
import { obeysEscapes } from './style';
import type { PrintMessage, Terminal } from './terminal';
import { counted, grouped } from './text';

/** Progress of a command or of its current stage. `share` is the fraction that is done, from 0 to 1, if known. */
export interface Progress {
  readonly stage?: string;
  readonly count?: number;
  readonly noun?: string;
  readonly share?: number | undefined;
}

type ReadProgress = () => Progress | undefined;

/** Runs a command with a progress bar, which is cleared for each message and removed at the end. */
export const withProgress = async <A>(
  terminal: Terminal,
  read: ReadProgress,
  command: (terminal: Terminal) => Promise<A>,
): Promise<A> => {
  const { clearLine, remove } = showProgress(terminal, read);
  const printMessage: PrintMessage = (text, kind) => {
    clearLine();
    terminal.printMessage(text, kind);
  };
  try {
    return await command({ ...terminal, printMessage });
  } finally {
    remove();
  }
};

/**
 * Shows a progress bar at a terminal while `read` returns progress. Waits half a second first, because quick commands
 * need no bar. `clearLine` makes room for another text, and `remove` ends the bar.
 */
export const showProgress = (
  { stderr: stream, env }: Terminal,
  read: ReadProgress,
): { readonly clearLine: () => void; readonly remove: () => void } => {
  const startedAt = performance.now();
  const isShown = obeysEscapes(stream, env);
  const elapsedMs = (): number => performance.now() - startedAt;
  const bar = new SingleBar({
    ...barOptions,
    stream,
    format: () => progressText(read() ?? {}, elapsedMs() / 1_000),
  });
  const timer = setInterval(() => {
    const progress = read();
    if (progress === undefined || !isShown || elapsedMs() < delayMs) return;
    if (!bar.isActive) bar.start(1, 0);
    bar.update(progress.share ?? 0);
  }, intervalMs);
  return {
    clearLine: () => {
      if (bar.isActive) stream.write('\r\x1b[K');
    },
    remove: () => {
      clearInterval(timer);
      bar.stop();
    },
  };
};

const delayMs = 500;
const intervalMs = 200;

/** Returns the text of a progress bar. It ends with the time left or, if that is unknown, with the elapsed time. */
export const progressText = ({ stage, count, noun = '', share }: Progress, seconds: number): string => {
  const parts: Array<string> = [];
  if (share !== undefined) parts.push(Format.BarFormat(share, barOptions), `${Math.floor(share * 100)} %`);
  if (stage !== undefined) parts.push(stage);
  if (count !== undefined) parts.push(counted(count, noun), `${grouped(Math.round(count / seconds))}/s`);
  if (share !== undefined && share > 0) parts.push(`${Math.ceil((seconds / share) * (1 - share))} s left`);
  else parts.push(`${Math.floor(seconds)} s`);
  return parts.join('  ');
};

const barOptions: Options = {
  barsize: 24,
  barGlue: '',
  barCompleteString: '█'.repeat(24),
  barIncompleteString: '░'.repeat(24),
  clearOnComplete: true,
  // Leaves signals to the command.
  gracefulExit: false,
  // Keeps line wrapping on, which a suspended or killed command could not turn on again.
  linewrap: true,
};
