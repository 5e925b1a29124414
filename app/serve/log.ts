import { identity } from 'fp-ts/function';
import { setTimeout as delay } from 'node:timers/promises';
import { type Logger, pino, stdTimeFunctions } from 'pino';
import { prettyFactory } from 'pino-pretty';
import type { Settings } from '../settings/settings';
import type { ProcessIO } from '../terminal/terminal';
import { escapeControlCharacters } from '../terminal/text';

/** Returns a function that turns a JSON line of the log into readable text. */
export const prettyText = (): ((line: string) => string) => {
  const toText = prettyFactory({
    colorize: false,
    translateTime: 'SYS:HH:MM:ss.l',
    singleLine: true,
    ignore: 'route,owner,parent_id,span_id,trace_flags',
  });
  return (line) => toText(line).split('\n').map(escapeControlCharacters).join('\n');
};

const flushIntervalMs = 100;

const closeTimeoutMs = 1_000;

const minBlockBytes = 8_192;

const maxBufferedBytes = 16_777_216;

/** pino's destination in the mode `buffer`, which its types lack. */
interface BufferWriter {
  write(line: string | Uint8Array): unknown;
}

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
    // In its other mode, `utf8`, pino would measure the whole block again for each line.
    contentMode: 'buffer',
    retryEAGAIN: () => !isExiting,
  });
  const output: BufferWriter = destination;
  destination.on('error', () => {
    isFailing = true;
  });
  destination.on('write', () => {
    isFailing = false;
  });
  // pino also flushes at the exit, but on a full disk it retries without end. It does not flush a destroyed destination.
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

/** Opens the log of the service on standard output. */
export const openLog = (
  { LOG_LEVEL }: Pick<Settings, 'LOG_LEVEL'>,
  { stdout }: Pick<ProcessIO, 'stdout'>,
) => {
  const file = 'fd' in stdout && typeof stdout.fd === 'number' ? openDestination(stdout.fd) : undefined;
  const toText = stdout.isTTY === true ? prettyText() : identity;
  const logger = makeLogger(LOG_LEVEL, (line) => (file ?? stdout).write(toText(line)));
  return {
    logger,
    close: (): Promise<void> | undefined => {
      logger.level = 'silent';
      return file?.close();
    },
  };
};
