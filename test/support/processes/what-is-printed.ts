import { mock } from 'node:test';
import { format } from 'node:util';

/** What an action writes to standard output by the console. */
export const whatIsPrinted = async (action: () => Promise<void>): Promise<string> => {
  const log = mock.method(console, 'log', () => undefined);
  try {
    await action();
  } finally {
    log.mock.restore();
  }
  return log.mock.calls.map(({ arguments: parts }) => format(...parts)).join('\n');
};
