import { type DestinationStream, type Logger, pino } from 'pino';
import { prettyStream } from './pretty-stream';
import type { Settings } from './settings';

/** In bytes: many lines go out in one write. */
const bufferSize = 8_192;

/** How long a line waits for others at most, in milliseconds. */
const flushInterval = 100;

/** A logger on standard output: readable text for a person at a terminal, a line of JSON for anything else. */
export const createLogger = ({ LOG_LEVEL }: Pick<Settings, 'LOG_LEVEL'>): Logger => {
  const destination: DestinationStream = process.stdout.isTTY
    ? prettyStream()
    : pino.destination({ dest: 1, sync: false, minLength: bufferSize, periodicFlush: flushInterval });
  return pino({ level: LOG_LEVEL, base: null }, destination);
};
