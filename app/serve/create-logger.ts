import { type DestinationStream, type Logger, pino } from 'pino';
import { prettyStream } from './pretty-stream';
import type { Settings } from '../settings/settings';

/** In bytes: many lines go out in one write. */
const bufferSize = 65_536;

/** How long a line waits for others at most, in milliseconds. */
const flushInterval = 100;

/** In bytes: what a reader that has stalled may keep waiting. Further lines are dropped. */
const mostWaiting = 16_777_216;

/** What a destination in the content mode `buffer` takes; its own type knows of texts alone. */
interface BufferSink {
  write(chunk: Buffer | string): unknown;
}

/** A full disk behind the log, or a reader that is gone, must not end the service. */
const lineStream = (): DestinationStream => {
  const destination: BufferSink = pino
    .destination({
      dest: 1,
      sync: false,
      // Lines that wait as one string are copied whole for each line more.
      contentMode: 'buffer',
      minLength: bufferSize,
      maxWrite: 2 * bufferSize,
      maxLength: mostWaiting,
      periodicFlush: flushInterval,
    })
    .on('error', () => undefined);
  return {
    write: (line) => {
      destination.write(Buffer.from(line));
    },
  };
};

/** A logger on standard output: readable text for a person at a terminal, a line of JSON for anything else. */
export const createLogger = ({ LOG_LEVEL }: Pick<Settings, 'LOG_LEVEL'>): Logger => {
  return pino({ level: LOG_LEVEL, base: null }, process.stdout.isTTY ? prettyStream() : lineStream());
};
