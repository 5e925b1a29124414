import { identity } from 'fp-ts/function';
import { pino } from 'pino';
import type { Settings } from '../settings/settings';
import type { Surroundings } from '../terminal/terminal';
import { blockWriter } from './block-writer';
import { outputSink } from './output-sink';
import { prettyText } from './pretty-text';

/** In milliseconds: how long lines that nobody takes are waited for at the end. */
const closeTimeout = 1_000;

/**
 * A log on standard output: readable text for a person at a terminal, a line of JSON for anything else. The logger never
 * keeps its caller waiting, whatever becomes of what it writes; `close` writes what still waits.
 */
export const openLog = (
  { LOG_LEVEL }: Pick<Settings, 'LOG_LEVEL'>,
  { stdout }: Pick<Surroundings, 'stdout'>,
) => {
  const { write, flushAtExit, close } = blockWriter(outputSink(stdout));
  process.on('exit', flushAtExit);
  const toText = stdout.isTTY === true ? prettyText() : identity;
  return {
    logger: pino(
      { level: LOG_LEVEL, base: null },
      {
        write: (line) => {
          write(toText(line));
        },
      },
    ),
    close: () => close(closeTimeout),
  };
};
