import type { CopyOptions, CopyProgress } from '../../../adapters/knex';
import { startProgress } from '../../terminal/start-progress';
import type { Terminal } from '../../terminal/terminal';

const megabyte = 1_000_000;

/** Shows how far a copy is while it goes on. */
export const withCopyProgress = async <A>(
  terminal: Terminal,
  signal: AbortSignal,
  copy: (options: CopyOptions) => Promise<A>,
): Promise<A> => {
  let progress: CopyProgress = { copied: 0, total: 0 };
  const shown = startProgress(terminal, {
    unit: 'MB',
    count: () => Math.round(progress.copied / megabyte),
    fraction: () => (progress.total === 0 ? undefined : progress.copied / progress.total),
  });
  try {
    return await copy({ signal, onProgress: (next) => (progress = next) });
  } finally {
    shown.stop();
  }
};
