import { constants } from 'node:os';
import type { ExportEnd } from '../transfer/export/export-end';

/** The exit code of a command that writes. */
export const exportExitCode = (end: ExportEnd): number => {
  switch (end.outcome) {
    case 'exported':
      return 0;
    case 'interrupted':
      return 128 + constants.signals[end.signal];
    case 'reader_gone':
      return 128 + constants.signals.SIGPIPE;
    case 'failed':
      return 1;
  }
};
