/* Formats log lines as text for people at a terminal. Programs get JSON instead. */

import * as t from 'io-ts';
import { prettyFactory } from 'pino-pretty';
import type { Style } from '../terminal/style';
import { escapeControlCharacters } from '../terminal/text';

interface Options {
  readonly style: Style;
  readonly showsAssets: boolean;
  /** True to show the start, and a stop by Ctrl-C. False if other texts announce them. */
  readonly showsAnnounced: boolean;
}

/**
 * Makes a function that turns a JSON line of the log into text for a terminal. The text is empty if the options hide
 * the line.
 */
export const terminalText = ({ style, showsAssets, showsAnnounced }: Options): ((line: string) => string) => {
  const toText = prettyFactory({
    colorize: false,
    singleLine: true,
    ignore: `time,level,owner,parent_id,span_id,trace_flags,signal,stopDelayMs,maxConnections,reason,advice`,
    messageFormat: '{msg}{if reason}: {reason}{end}{if advice}; {advice}{end}',
  });
  return (json) => {
    const line: unknown = JSON.parse(json);
    if (isAsset(line) && !showsAssets) return '';
    const text = Request.is(line)
      ? `${requestText(line, style)}\n`
      : toText(json).split('\n').map(escapeControlCharacters).join('\n');
    if (!Line.is(line)) return text;
    const isAnnounced = line.msg === 'started' || (line.msg === 'stopping' && line.signal === 'SIGINT');
    if (isAnnounced && !showsAnnounced) return '';
    return `${localTime(line.time)}  ${levelText(line.level, style)}${text}`;
  };
};

const Line = t.intersection([
  t.type({ time: t.string, level: t.string, msg: t.string }),
  t.partial({ signal: t.string }),
]);

/** Log line of a request. For some rejected requests, only the status is known. */
const Request = t.intersection([
  t.type({ msg: t.keyof({ request: null, rejected: null }), status: t.number }),
  t.partial({
    method: t.string,
    path: t.string,
    milliseconds: t.number,
    route: t.string,
    code: t.string,
    reason: t.string,
  }),
]);
type Request = t.TypeOf<typeof Request>;

/** True for a successful request for one of the files that the API reference loads. */
const isAsset = (line: unknown): boolean =>
  Request.is(line) && line.status < 400 && line.route?.startsWith('/docs/') === true;

const requestText = ({ method, path, status, code, reason, milliseconds }: Request, style: Style): string =>
  [
    style(statusFormat(status), String(status)),
    (milliseconds === undefined ? '' : `${Math.round(milliseconds)} ms`).padStart(7),
    ...(method === undefined ? [] : [`${method.padEnd(4)} ${escapeControlCharacters(path ?? '')}`]),
    ...(code === undefined ? [] : [reason === undefined ? code : `${code} (${reason})`]),
  ].join('  ');

const statusFormat = (status: number): 'green' | 'yellow' | 'red' => {
  if (status >= 500) return 'red';
  return status >= 400 ? 'yellow' : 'green';
};

const levelText = (level: string, style: Style): string => {
  if (level === 'warn') return `${style('yellow', 'warning')}: `;
  return level === 'error' || level === 'fatal' ? `${style('red', level)}: ` : '';
};

const localTime = (time: string): string => new Date(time).toTimeString().slice(0, 'hh:mm:ss'.length);
