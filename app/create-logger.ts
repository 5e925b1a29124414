import { type DestinationStream, type Logger, pino } from 'pino';
import { prettyStream } from './pretty-stream';
import type { Settings } from './settings';

/** In bytes: many lines go out in one write. */
const bufferSize = 8_192;

/** How long a line waits for others at most, in milliseconds. */
const flushInterval = 100;

/** In bytes: what a reader that has stalled may keep waiting. Further lines are dropped. */
const mostWaiting = 16_777_216;

/** A full disk behind the log, or a reader that is gone, must not end the service. */
const lineStream = (): DestinationStream =>
  pino
    .destination({
      dest: 1,
      sync: false,
      minLength: bufferSize,
      maxLength: mostWaiting,
      periodicFlush: flushInterval,
    })
    .on('error', () => undefined);

/** A logger on standard output: readable text for a person at a terminal, a line of JSON for anything else. */
export const createLogger = ({ LOG_LEVEL }: Pick<Settings, 'LOG_LEVEL'>): Logger => {
  return pino({ level: LOG_LEVEL, base: null }, process.stdout.isTTY ? prettyStream() : lineStream());
};
