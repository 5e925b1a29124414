import { prettyFactory } from 'pino-pretty';
import { visibleText } from '../terminal/visible-text';

const lineOfRequest = [
  ...['method', 'path', 'status', 'milliseconds', 'clientAddress', 'keyId', 'requestId', 'trace_id'],
];

/** Said in the line already, or not worth a line of their own. */
const ignored = [
  ...['pid', 'hostname', ...lineOfRequest, 'route', 'owner'],
  ...['parent_id', 'span_id', 'trace_flags'],
];

const words = (field: string, value: unknown): ReadonlyArray<string> => {
  if (typeof value !== 'string' && typeof value !== 'number') return [];
  return [field === 'milliseconds' ? `${value} ms` : visibleText(String(value))];
};

/** Turns lines of the log into what a person reads at a terminal: one for a request; a failure with its stack below. */
export const prettyText = (): ((line: string) => string) =>
  prettyFactory({
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: ignored.join(','),
    messageFormat: (log, messageKey) => {
      const fields = 'status' in log ? lineOfRequest : [messageKey, 'requestId'];
      return fields.flatMap((field) => words(field, log[field])).join('  ');
    },
  });
