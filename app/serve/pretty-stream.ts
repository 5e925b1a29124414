import pretty, { type PrettyStream } from 'pino-pretty';

const lineOfRequest = ['method', 'path', 'status', 'milliseconds', 'keyId', 'requestId', 'trace_id'];

/** Said in the line already, or, of a route and a parent's id, not worth a line of their own. */
const ignored = ['pid', 'hostname', ...lineOfRequest, 'route', 'parent_id'];

const words = (field: string, value: unknown): ReadonlyArray<string> => {
  if (typeof value !== 'string' && typeof value !== 'number') return [];
  return [field === 'milliseconds' ? `${value} ms` : String(value)];
};

/** The log as a person reads it at a terminal: a line for each request; a failure with its stack below it. */
export const prettyStream = (): PrettyStream =>
  pretty({
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: ignored.join(','),
    messageFormat: (log, messageKey) => {
      const fields = 'status' in log ? lineOfRequest : [messageKey, 'requestId'];
      return fields.flatMap((field) => words(field, log[field])).join('  ');
    },
    sync: true,
  });
