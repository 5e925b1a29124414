import { signalExitCode } from '../terminal/signal-exit-code';
import type { Terminal } from '../terminal/terminal';
import type { ExportEnd } from '../transfer/export/export-end';

interface Texts {
  readonly exported: string;
  readonly readerGone: string;
  readonly failed: (reason: string) => string;
  /** What there is now, after an interruption. */
  readonly remains: string;
}

/** Says how an export, a backup or a restore ended. The exit code tells it too. */
export const concludeExport = ({ say, fail }: Terminal, end: ExportEnd, texts: Texts): void => {
  switch (end.outcome) {
    case 'exported':
      say(texts.exported);
      break;
    case 'interrupted':
      say(`interrupted by ${end.signal}: ${texts.remains}`);
      fail(signalExitCode(end.signal));
      break;
    case 'reader_gone':
      say(texts.readerGone);
      fail(signalExitCode('SIGPIPE'));
      break;
    case 'failed':
      say(texts.failed(end.reason));
      fail(1);
  }
};
