import { setTimeout as delay } from 'node:timers/promises';
import { type Logger, pino, stdTimeFunctions } from 'pino';
import type { Settings } from '../settings/settings';
import { styleFor } from '../terminal/style';
import { journalPrefix, type ProcessIO } from '../terminal/terminal';
import { terminalText } from './terminal-log';

/** Opens the log of the service on standard output: JSON for programs, or lines for people at a terminal. */
export const openLog = ({ LOG_LEVEL }: Pick<Settings, 'LOG_LEVEL'>, { stdout, stderr, env }: ProcessIO) => {
  const file = 'fd' in stdout && typeof stdout.fd === 'number' ? openDestination(stdout.fd) : undefined;
  const output = file ?? stdout;
  const toText = terminalText({
    style: styleFor(stdout, env),
    showsAssets: LOG_LEVEL === 'debug' || LOG_LEVEL === 'trace',
    showsAnnounced: stderr.isTTY !== true,
  });
  const writeText = (line: string): void => {
    const text = toText(line);
    if (text !== '') output.write(text);
  };
  const prefix = journalPrefix(stdout, env);
  const writeJson = (line: string): void => {
    output.write(prefix === undefined ? line : prefix(/^{"level":"(\w+)"/.exec(line)?.[1] ?? '') + line);
  };
  const logger = makeLogger(LOG_LEVEL, stdout.isTTY === true ? writeText : writeJson);
  return {
    logger,
    close: (): Promise<void> | undefined => {
      logger.level = 'silent';
      return file?.close();
    },
  };
};

export const makeLogger = (level: Settings['LOG_LEVEL'], write: (line: string) => unknown): Logger =>
  pino(
    {
      level,
      base: null,
      formatters: { level: (word) => ({ level: word }) },
      timestamp: stdTimeFunctions.isoTime,
    },
    { write },
  );

/**
 * Opens pino's destination for a file, pipe or terminal. It writes in blocks, and drops lines when its buffer is full,
 * so that an unread log delays no request.
 */
const openDestination = (fd: number) => {
  let isFailing = false;
  let isExiting = false;
  const destination = pino.destination({
    dest: fd,
    sync: false,
    minLength: minBlockBytes,
    maxLength: maxBufferedBytes,
    periodicFlush: flushIntervalMs,
    // Uses the mode `buffer`, because in the mode `utf8` pino would measure the whole block again for each line.
    contentMode: 'buffer',
    retryEAGAIN: () => !isExiting,
  });
  // Widens the type of `write`, because pino accepts bytes in the mode `buffer`, but its types do not.
  const output: { write(line: string | Uint8Array): unknown } = destination;
  destination.on('error', () => {
    isFailing = true;
  });
  destination.on('write', () => {
    isFailing = false;
  });
  // Flushes before pino's own handler, which would retry forever on a full disk. That handler skips a destroyed
  // destination.
  process.prependListener('exit', () => {
    isExiting = true;
    try {
      if (!isFailing) destination.flushSync();
    } catch {
      // Ignores the error, because a process that exits can't try again.
    }
    destination.destroy();
  });
  return {
    write: (line: string) => output.write(Buffer.from(line)),
    close: async (): Promise<void> => {
      const closed = new Promise((resolve) => destination.on('close', resolve));
      destination.end();
      await Promise.race([closed, delay(closeTimeoutMs)]);
      destination.destroy();
    },
  };
};

const flushIntervalMs = 100;

const closeTimeoutMs = 1_000;

const minBlockBytes = 8_192;

const maxBufferedBytes = 16_777_216;
