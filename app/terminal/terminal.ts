import { toError } from 'fp-ts/Either';
import { fstatSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { exceptionCode } from '../../adapters/failures/exception-code';
import { signalExitCode } from './signals';
import { type Style, styleFor } from './style';
import { escapeControlCharacters, toPrintableJson, wrapLine } from './text';

/** Standard output or error. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export interface ProcessIO {
  readonly env: NodeJS.Dict<string>;
  readonly stdout: Output;
  readonly stderr: Output;
}

/** Kind of a message. `database` names the database of a command. */
export type MessageKind = 'info' | 'database' | 'warning' | 'error';

/**
 * Prints a line on standard error, wrapped at a terminal. Escapes control characters, by which the name of a file could
 * move the cursor or begin a line. The default kind is `info`.
 */
export type PrintMessage = (text: string, kind?: MessageKind) => void;

/** Makes the terminal through which a command prints and sets its exit code. */
export const openTerminal = (io: ProcessIO) => {
  const { env, stdout, stderr } = io;
  // Ignores the event, because each write reports its own failure. Without a listener, the event would end the process.
  for (const output of [stdout, stderr]) output.on('error', () => undefined);
  const { writeError, printMessage, messagesWritten } = openMessages(io);
  const { setExitCode, readExitCode } = openExitCode();
  let written: Promise<unknown> = Promise.resolve();

  const writeOutput = (text: string, reportsClosedPipe: boolean): void => {
    written = writeFully(stdout, text).catch((cause: unknown) => {
      const isClosedPipe = exceptionCode(cause) === 'EPIPE';
      if (!isClosedPipe || reportsClosedPipe)
        printMessage(`standard output was not written: ${toError(cause).message}`, 'error');
      setExitCode(isClosedPipe ? 'SIGPIPE' : 1);
    });
  };

  return {
    env,
    stdout,
    stderr,
    /** Width of standard output, or Infinity if it is no terminal. */
    columns: columnsOf(stdout),
    printMessage,
    writeError,
    /**
     * Writes text that a command can print again. Reports no error if the reading program closes the pipe, as other
     * programs do.
     */
    write: (text: string): void => {
      writeOutput(text, false);
    },
    /**
     * Prints the result of a command, such as a new key. Reports a closed pipe, because the result can't be printed
     * again.
     */
    print: (json: boolean, data: unknown, text: string): void => {
      writeOutput(`${json ? toPrintableJson(data) : asCalled(text, env)}\n`, true);
    },
    setExitCode,
    /** Waits until all output is written, but at most a second after a signal. Returns the exit code. */
    end: async (): Promise<number> => {
      const all = written.then(messagesWritten);
      await (readExitCode().isInterrupted ? Promise.race([all, delay(1_000)]) : all);
      return readExitCode().exitCode;
    },
  };
};

export type Terminal = ReturnType<typeof openTerminal>;

const openMessages = ({ env, stderr }: ProcessIO) => {
  const style = styleFor(stderr, env);
  const columns = columnsOf(stderr);
  let written: Promise<unknown> = Promise.resolve();
  const writeError = (text: string): void => {
    written = writeFully(stderr, asCalled(text, env)).catch(() => undefined);
  };
  const printMessage: PrintMessage = (text, kind = 'info') => {
    const line = asCalled(escapeControlCharacters(messageText(text, kind)), env);
    writeError(`${withColour(wrapLine(line, columns), kind, style)}\n`);
  };
  return { writeError, printMessage, messagesWritten: () => written };
};

export const messageText = (text: string, kind: MessageKind): string =>
  kind === 'info' ? text : `${kind}: ${text}`;

const withColour = (line: string, kind: MessageKind, style: Style): string => {
  switch (kind) {
    case 'info':
      return line;
    case 'database':
      return style('dim', line);
    case 'warning':
    case 'error':
      return style(kind === 'error' ? 'red' : 'yellow', kind) + line.slice(kind.length);
  }
};

type Environment = NodeJS.ReadOnlyDict<string>;

/** Writes commands in hints with `npx` if npm runs the program, as in a checkout. npm sets `npm_command`. */
const asCalled = (text: string, env: Environment): string =>
  env['npm_command'] === undefined ? text : text.replaceAll('`animal-store ', '`npx animal-store ');

/** Returns the width of a terminal, or Infinity for another output. A terminal of a container may have no width. */
const columnsOf = ({ isTTY = false, columns = 0 }: Output): number => {
  if (!isTTY) return Infinity;
  return columns > 0 ? columns : usualColumns;
};

const usualColumns = 80;

/** Keeps the first exit code that a command sets. */
const openExitCode = () => {
  let exitCode = 0;
  let isInterrupted = false;
  return {
    setExitCode: (code: number | NodeJS.Signals): void => {
      isInterrupted ||= typeof code === 'string';
      if (exitCode === 0) exitCode = typeof code === 'number' ? code : signalExitCode(code);
    },
    readExitCode: () => ({ exitCode, isInterrupted }),
  };
};

/** Makes a terminal that prints messages as JSON lines, like those of the service's log. */
export const withJsonMessages = (terminal: Terminal): Terminal => {
  const beginning = journalPrefix(terminal.stderr, terminal.env);
  return {
    ...terminal,
    printMessage: (msg, kind = 'info') => {
      const level = levels[kind];
      const line = toPrintableJson({ level, time: new Date().toISOString(), msg });
      terminal.writeError(`${beginning?.(level) ?? ''}${line}\n`);
    },
  };
};

const levels: Readonly<Record<MessageKind, string>> = {
  info: 'info',
  database: 'info',
  warning: 'warn',
  error: 'fatal',
};

/**
 * Returns a function that makes the beginning of a line, such as `<3>` for an error. The journal of systemd reads it as
 * the line's priority (sd-daemon(3)). Returns undefined for an output that is not the journal (systemd.exec(5),
 * JOURNAL_STREAM).
 */
export const journalPrefix = (
  output: Writable,
  env: NodeJS.ReadOnlyDict<string>,
): ((level: string) => string) | undefined => {
  if (env['JOURNAL_STREAM'] === undefined || !('fd' in output) || typeof output.fd !== 'number')
    return undefined;
  const { dev, ino } = fstatSync(output.fd);
  if (env['JOURNAL_STREAM'] !== `${dev}:${ino}`) return undefined;
  return (level) => `<${priorities[level] ?? debugPriority}>`;
};

const priorities: Readonly<Record<string, number>> = { fatal: 2, error: 3, warn: 4, info: 6 };

const debugPriority = 7;

export const announceStop = (
  { stderr, printMessage }: Terminal,
  signal: NodeJS.Signals | undefined,
): void => {
  if (signal === 'SIGINT' && stderr.isTTY === true)
    printMessage('stopping; press Ctrl-C again to end at once');
};

/**
 * Writes all of `data`. Writes to a file in a loop, because Node's stream reports a partial write to a full disk as
 * success.
 */
export const writeFully = async (output: Writable, data: string | Uint8Array): Promise<void> => {
  const file = output instanceof Socket || !('fd' in output) ? undefined : output.fd;
  if (typeof file !== 'number') return writeToStream(output, data);
  for (let rest = Buffer.from(data); rest.length > 0;) rest = rest.subarray(writeSync(file, rest));
};

const writeToStream = (output: Writable, data: string | Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    output.write(data, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
