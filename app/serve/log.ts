import { toError } from 'fp-ts/Either';
import { setTimeout as delay } from 'node:timers/promises';
import { type Logger, pino, stdTimeFunctions } from 'pino';
import { healthPaths, type Reporter, type RequestEntry } from '../../adapters/http';
import type { PrometheusMetrics } from '../../adapters/prometheus';
import type { Settings } from '../settings/settings';
import { specificAdvice } from '../store/advice';
import { journalPrefix } from '../terminal/journal';
import type { ProcessIO } from '../terminal/terminal';
import { styleFor } from '../terminal/style';
import { terminalText } from './terminal-log';

const flushIntervalMs = 100;

const closeTimeoutMs = 1_000;

const minBlockBytes = 8_192;

const maxBufferedBytes = 16_777_216;

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
  // Pino accepts bytes in the mode `buffer`, but its types do not.
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

const probes = new Set<string | undefined>(healthPaths);

const levelOf = ({ status, route }: RequestEntry): 'error' | 'debug' | 'info' => {
  if (probes.has(route)) return 'debug';
  return status >= 500 ? 'error' : 'info';
};

/** Returns a function that runs `work`, unless `work` ran less than `intervalMs` ago. */
const atMostEvery = <A>(intervalMs: number, work: (value: A) => void): ((value: A) => void) => {
  let lastRunAt = -Infinity;
  return (value) => {
    const now = performance.now();
    if (now - lastRunAt < intervalMs) return;
    lastRunAt = now;
    work(value);
  };
};

/**
 * Maximum number of kinds of lines that are counted separately. A message that contains a value, such as an id, would
 * otherwise make a new kind each time.
 */
const maxKinds = 100;

/**
 * Limits the lines of each kind to `count` a second. `pass` returns false for a line to withhold. At the end of the
 * second, or at a call of `flush`, `report` gets the number of withheld lines of each kind.
 */
const lineLimit = (count: number, report: (kind: string, notLogged: number) => void) => {
  const lines = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    for (const [kind, number] of lines) if (number > count) report(kind, number - count);
    lines.clear();
  };
  const pass = (kind: string): boolean => {
    timer ??= setTimeout(flush, 1_000).unref();
    const counted = lines.has(kind) || lines.size < maxKinds ? kind : 'others';
    const number = (lines.get(counted) ?? 0) + 1;
    lines.set(counted, number);
    return number <= count;
  };
  return { pass, flush };
};

/** Maximum lines a second for each cause, because all requests of an outage fail for the same cause. */
const causesPerSecond = 1;
const failedRequestsPerSecond = 20;

const preflightLogMs = 60_000;

const refusalLogMs = 10_000;

/** Logs requests, failures and refused connections, and counts them in `metrics`, if any. */
export const requestReporter = (
  logger: Logger,
  { DATABASE_URL: url, MAX_CONNECTIONS: maxConnections }: Settings,
  metrics: PrometheusMetrics['requests'] | undefined,
): Reporter & { readonly connectionRefused: () => void; readonly reportNotLogged: () => void } => {
  const failedRequests = lineLimit(failedRequestsPerSecond, (status, notLogged) => {
    logger.error({ status: Number(status), notLogged }, 'requests not logged');
  });
  const causes = lineLimit(causesPerSecond, (cause, notLogged) => {
    logger.error({ cause, notLogged }, 'causes not logged');
  });
  const warnOfRefusal = atMostEvery(refusalLogMs, () => {
    logger.warn(
      { maxConnections },
      'connections are refused: MAX_CONNECTIONS is reached; raise it, or add instances on PostgreSQL',
    );
  });
  return {
    requestStarted: () => metrics?.started(),
    requestEnded: (record) => {
      metrics?.ended(record);
      const level = levelOf(record);
      if (level === 'error' && !failedRequests.pass(String(record.status))) return;
      const isShown = record.unknownFields === undefined || logger.isLevelEnabled('debug');
      logger[level](isShown ? record : { ...record, unknownFields: undefined }, 'request');
    },
    requestRejected: (record) => {
      metrics?.rejected(record);
      logger.info(record, 'rejected');
    },
    connectionRefused: () => {
      metrics?.connectionRefused();
      warnOfRefusal(undefined);
    },
    preflightRejected: atMostEvery(preflightLogMs, (origin) => {
      const advice =
        origin === 'null'
          ? 'serve its page over HTTP, so that the page has an origin that CORS_ORIGIN can allow'
          : 'set CORS_ORIGIN to allow it';
      logger.warn(`a browser asked from ${origin}; ${advice}`);
    }),
    error: (cause, requestId) => {
      if (!causes.pass(toError(cause).message)) return;
      logger.error({ err: cause, advice: specificAdvice(url, cause), requestId }, 'request failed');
    },
    reportNotLogged: () => {
      failedRequests.flush();
      causes.flush();
    },
  };
};
