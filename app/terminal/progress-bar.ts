import { Format, type Options, SingleBar } from 'cli-progress';
import { counted } from './text';
import type { Output } from './terminal';

/** Progress of a command. `share` is the done part of the work, from 0 to 1, if that can be known. */
export interface Progress {
  readonly count?: number;
  readonly noun?: string;
  readonly share?: number | undefined;
}

const barOptions: Options = {
  barsize: 24,
  barGlue: '',
  barCompleteString: '█'.repeat(24),
  barIncompleteString: '░'.repeat(24),
  clearOnComplete: true,
  // The command itself handles signals.
  gracefulExit: false,
};

const groups = new Intl.NumberFormat('en');

/** Returns the text of a progress bar: percent, count, rate and the time that is left, as far as they are known. */
export const progressText = ({ count, noun = '', share }: Progress, seconds: number): string => {
  const parts: Array<string> = [];
  if (share !== undefined) parts.push(Format.BarFormat(share, barOptions), `${Math.floor(share * 100)} %`);
  if (count !== undefined)
    parts.push(
      counted(count, noun).replace(String(count), groups.format(count)),
      `${groups.format(Math.round(count / seconds))}/s`,
    );
  if (share !== undefined && share > 0) parts.push(`${Math.ceil((seconds / share) * (1 - share))} s left`);
  else parts.push(`${Math.floor(seconds)} s`);
  return parts.join('  ');
};

const delayMs = 500;
const intervalMs = 200;

/**
 * Shows a progress bar at a terminal, unless the command is quick. Returns functions that clear its line for another
 * text, and remove it.
 */
export const showProgress = (
  stream: Output,
  read: (() => Progress) | undefined,
): { readonly clearLine: () => void; readonly remove: () => void } => {
  const startedAt = performance.now();
  const elapsedMs = (): number => performance.now() - startedAt;
  const bar = new SingleBar({
    ...barOptions,
    stream,
    format: () => progressText(read?.() ?? {}, elapsedMs() / 1_000),
  });
  const timer = setInterval(() => {
    if (read === undefined || stream.isTTY !== true || elapsedMs() < delayMs) return;
    if (!bar.isActive) bar.start(1, 0);
    bar.update(read().share ?? 0);
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
