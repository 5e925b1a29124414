import { identity } from 'fp-ts/function';
import { pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import type { Settings } from '../settings';
import { escapeControlCharacters } from '../terminal/streams';
import type { ProcessIO } from '../terminal/terminal';
import { blockWriter, sinkOf } from './block-writer';
import { processTimeouts } from '../../core/timeouts';

const requestFields = 'method path status milliseconds clientAddress keyId requestId trace_id'.split(' ');

const serviceFields = 'requestId signal reason version address database'.split(' ');

const hiddenFields =
  'pid hostname route owner parent_id span_id trace_flags adminAddress settings stopDelay'.split(' ');

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

export const openLog = (
  { LOG_LEVEL }: Pick<Settings, 'LOG_LEVEL'>,
  { stdout }: Pick<ProcessIO, 'stdout'>,
) => {
  const { write, flushAtExit, close } = blockWriter(sinkOf(stdout));
  process.on('exit', flushAtExit);
  const toText = stdout.isTTY === true ? prettyText() : identity;
  const destination = {
    write: (line: string): void => {
      write(toText(line));
    },
  };
  return {
    logger: pino({ level: LOG_LEVEL, base: null }, destination),
    close: () => close(processTimeouts.logCloseMs),
  };
};
