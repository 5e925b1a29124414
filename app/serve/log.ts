import { identity } from 'fp-ts/function';
import { write, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import type { Settings } from '../settings';
import { fileDescriptorOf, type ProcessIO } from '../terminal/terminal';
import { escapeControlCharacters } from '../terminal/text';

/**
 * Resolves with the number of bytes written, or rejects if the caller should try again, as on a full disk. Pipes and
 * terminals are written as streams: a file write to an unread pipe would block a thread, and the process could not
 * exit. On a pipe, a block counts as written even if the reader has gone, because no retry can help.
 */
const writeBlock = async (output: Writable, block: Buffer): Promise<number> => {
  const file = fileDescriptorOf(output);
  if (file !== undefined) return (await promisify(write)(file, block)).bytesWritten;
  return new Promise((resolve) => {
    output.write(block, () => {
      resolve(block.length);
    });
  });
};

const writeAtExit = (output: Writable, block: Buffer): void => {
  const file = fileDescriptorOf(output);
  try {
    if (file === undefined) output.write(block);
    else writeSync(file, block);
  } catch {
    // Ignores the error, because a process that exits can't try again.
  }
};

const blockBytes = 65_536;

const intervalMs = 100;

const maxBufferedBytes = 16_777_216;

/**
 * Makes a writer that writes log lines in blocks, and drops lines when its buffer is full. `write` never blocks and
 * never throws. The writer replaces pino's sonic-boom, whose `flushSync` retries without limit: with a full disk the
 * process would never exit.
 */
const blockWriter = (output: Writable) => {
  let lines: Array<Buffer> = [];
  let bufferedBytes = 0;
  let unwrittenBytes = 0;
  let isClosing = false;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;

  const nextBlock = (): Buffer => {
    const block = Buffer.concat(lines);
    lines = [];
    bufferedBytes = 0;
    return block;
  };

  const hand = async (block: Buffer): Promise<void> => {
    for (let rest = block; rest.length > 0;) {
      try {
        const taken = await writeBlock(output, rest);
        rest = rest.subarray(taken);
        unwrittenBytes -= taken;
      } catch {
        await delay(intervalMs);
      }
    }
  };

  const handAll = async (): Promise<void> => {
    do await hand(nextBlock());
    while (bufferedBytes >= blockBytes || (isClosing && bufferedBytes > 0));
    writing = undefined;
    if (bufferedBytes > 0) schedule();
  };

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    writing ??= handAll();
  };

  const schedule = (): void => {
    timer ??= setTimeout(flush, intervalMs);
  };

  return {
    write: (line: string): void => {
      const bytes = Buffer.from(line);
      if (unwrittenBytes + bytes.length > maxBufferedBytes) return;
      lines.push(bytes);
      bufferedBytes += bytes.length;
      unwrittenBytes += bytes.length;
      if (bufferedBytes >= blockBytes) flush();
      else if (writing === undefined) schedule();
    },
    flushAtExit: (): void => {
      writeAtExit(output, nextBlock());
    },
    close: async (timeoutMs: number): Promise<void> => {
      isClosing = true;
      flush();
      await Promise.race([writing, delay(timeoutMs)]);
    },
  };
};

const requestFields = 'method path status milliseconds clientAddress keyId requestId trace_id'.split(' ');

const serviceFields = 'requestId signal reason version address database'.split(' ');

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

/** Opens the log of the service on standard output, for the command `serve` in app/commands/serve.ts. */
export const openLog = (
  { LOG_LEVEL }: Pick<Settings, 'LOG_LEVEL'>,
  { stdout }: Pick<ProcessIO, 'stdout'>,
) => {
  const writer = blockWriter(stdout);
  process.on('exit', writer.flushAtExit);
  const toText = stdout.isTTY === true ? prettyText() : identity;
  const destination = {
    write: (line: string): void => {
      writer.write(toText(line));
    },
  };
  return {
    logger: pino({ level: LOG_LEVEL, base: null }, destination),
    close: () => writer.close(1_000),
  };
};
