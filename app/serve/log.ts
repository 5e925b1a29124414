import { identity } from 'fp-ts/function';
import { setTimeout as delay } from 'node:timers/promises';
import { type Logger, pino, stdTimeFunctions } from 'pino';
import { prettyFactory } from 'pino-pretty';
import type { Settings } from '../settings';
import type { ProcessIO } from '../terminal/terminal';
import { escapeControlCharacters } from '../terminal/text';

const requestFields = 'method path status milliseconds clientAddress keyId requestId trace_id'.split(' ');

const serviceFields = 'advice requestId signal reason version address database'.split(' ');

const hiddenFields =
  'pid hostname route owner parent_id span_id trace_flags adminAddress settings stopDelayMs'.split(' ');

const toWords = (field: string, value: unknown): ReadonlyArray<string> => {
  if (typeof value !== 'string' && typeof value !== 'number') return [];
  return [field === 'milliseconds' ? `${value} ms` : escapeControlCharacters(String(value))];
};

export const prettyText = (): ((line: string) => string) =>
  prettyFactory({
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: [...requestFields, ...serviceFields, ...hiddenFields].join(','),
    messageFormat: (log, messageKey) => {
      const fields = 'status' in log ? requestFields : [messageKey, ...serviceFields];
      return fields.flatMap((field) => toWords(field, log[field])).join('  ');
    },
  });

const flushIntervalMs = 100;

const closeTimeoutMs = 1_000;

const minBlockBytes = 8_192;

const maxBufferedBytes = 16_777_216;

/** Destination in the mode for buffers, which its own types lack. */
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
    // In the mode for text, each line would copy and measure the whole block again.
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
  // pino also flushes at the exit, but without an end on a full disk. It leaves a destroyed destination alone.
  process.prependListener('exit', () => {
    isExiting = true;
    try {
      if (!isFailing) destination.flushSync();
    } catch {
      // Ignores the error, because a process that exits can't try again.
    }
    destination.destroy();
  });
  let isClosed = false;
  return {
    write: (line: string): void => {
      if (!isClosed) output.write(Buffer.from(line));
    },
    close: async (): Promise<void> => {
      isClosed = true;
      const closed = new Promise((resolve) => destination.on('close', resolve));
      destination.end();
      await Promise.race([closed, delay(closeTimeoutMs)]);
      destination.destroy();
    },
  };
};

export const makeLogger = (level: Settings['LOG_LEVEL'], write: (line: string) => void): Logger =>
  pino(
    {
      level,
      base: null,
      formatters: { level: (word) => ({ level: word }) },
      timestamp: stdTimeFunctions.isoTime,
    },
    { write },
  );

/** Opens the log of the service on standard output, for the command `serve` in app/commands/serve.ts. */
export const openLog = (
  { LOG_LEVEL }: Pick<Settings, 'LOG_LEVEL'>,
  { stdout }: Pick<ProcessIO, 'stdout'>,
) => {
  const file = 'fd' in stdout && typeof stdout.fd === 'number' ? openDestination(stdout.fd) : undefined;
  const toText = stdout.isTTY === true ? prettyText() : identity;
  return {
    logger: makeLogger(LOG_LEVEL, (line) => {
      if (file === undefined) stdout.write(toText(line));
      else file.write(toText(line));
    }),
    close: () => file?.close(),
  };
};
