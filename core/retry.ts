import { AnimalStoreError } from './animal-store-error';
import { maxTimerMs } from './ports';
import { clientTimeouts } from './timeouts';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Maximum time of each attempt. The default is 10 seconds. */
  readonly timeoutMs?: number | undefined;
  /**
   * Time, from the start of the call, during which failed attempts are retried. The default is 30 seconds. With 0,
   * there is only one attempt.
   */
  readonly retryForMs?: number | undefined;
}

// Does not use `instanceof`, because the signal may come from another JavaScript realm, such as that of a test runner.
const isAbortSignal = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value;

const optionRules: ReadonlyArray<
  readonly [option: keyof CallOptions, holds: (value: unknown) => boolean, expected: string]
> = [
  ['signal', isAbortSignal, 'an AbortSignal'],
  ['timeoutMs', (value) => typeof value === 'number' && value > 0, 'a number greater than 0'],
  ['retryForMs', (value) => typeof value === 'number' && value >= 0, 'a number of at least 0'],
];

export const checkedOptions = <Options extends CallOptions>(options: Options): Options => {
  const given: unknown = options;
  if (typeof given !== 'object' || given === null)
    throw new TypeError('invalid options: they must be an object');
  for (const [name, holds, expected] of optionRules) {
    const value: unknown = options[name];
    if (value !== undefined && !holds(value)) throw new TypeError(`invalid ${name}: it must be ${expected}`);
  }
  return options;
};

export interface Attempt {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

const retriedCodes: ReadonlyArray<string> = [
  'network',
  'timeout',
  'request_timeout',
  'idempotency_key_in_flight',
  'rate_limited',
  'unavailable',
];

const retriedStatuses = [408, 429, 502, 503, 504];

const isRetried = ({ code, status = 0 }: AnimalStoreError): boolean =>
  retriedCodes.includes(code) || retriedStatuses.includes(status);

const backoffMs = ({ retryAfterMs = 0 }: AnimalStoreError, attempts: number): number =>
  retryAfterMs +
  Math.random() * Math.min(clientTimeouts.maxDelayMs, clientTimeouts.firstDelayMs * 2 ** attempts);

const abortedBy = (signal: AbortSignal | undefined): AnimalStoreError =>
  new AnimalStoreError('aborted', 'the call was aborted', { cause: signal?.reason });

const sleep = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(abortedBy(signal));
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      },
      Math.min(milliseconds, maxTimerMs),
    );
    signal?.addEventListener('abort', onAbort, { once: true });
  });

/** Ends an attempt at its timeout, or when the caller aborts, even if the attempt ignores its signal. */
const runAttempt = async <A>(
  attempt: (limits: Attempt) => Promise<A>,
  signal: AbortSignal | undefined,
  timeoutMs: number,
): Promise<A> => {
  if (signal?.aborted === true) throw abortedBy(signal);
  const controller = new AbortController();
  let cutOff: (error: AnimalStoreError) => void;
  const isCutOff = new Promise<never>((_, reject) => {
    cutOff = (error) => {
      reject(error);
      controller.abort(error);
    };
  });
  const onAbort = (): void => {
    cutOff(abortedBy(signal));
  };
  signal?.addEventListener('abort', onAbort);
  const timer = setTimeout(
    () => {
      cutOff(new AnimalStoreError('timeout', `no answer within ${timeoutMs} ms`));
    },
    Math.min(timeoutMs, maxTimerMs),
  );
  try {
    return await Promise.race([attempt({ signal: controller.signal, timeoutMs }), isCutOff]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
};

const withDetails = (
  { code, message, cause, status, requestId, retryAfterMs }: AnimalStoreError,
  attempts: number,
  idempotencyKey: string | undefined,
): AnimalStoreError =>
  new AnimalStoreError(code, message, { cause, status, requestId, retryAfterMs, attempts, idempotencyKey });

/**
 * Runs an idempotent call, and retries it after temporary failures until `retryForMs` has passed. Rejects with the last
 * AnimalStoreError, to which it adds the number of attempts and the idempotency key. client.ts and
 * adapters/http-client/http-animal-store.ts make every call with it.
 */
export const withRetries = async <A>(
  attempt: (limits: Attempt) => Promise<A>,
  { signal, timeoutMs = clientTimeouts.attemptMs, retryForMs = clientTimeouts.retryForMs }: CallOptions,
  idempotencyKey?: string,
): Promise<A> => {
  const giveUpAt = performance.now() + retryForMs;
  let attempts = 0;

  const attemptUntilDone = async (): Promise<A> => {
    for (;;) {
      attempts += 1;
      try {
        return await runAttempt(attempt, signal, timeoutMs);
      } catch (error) {
        if (!(error instanceof AnimalStoreError && isRetried(error))) throw error;
        const delayMs = backoffMs(error, attempts);
        if (performance.now() + delayMs > giveUpAt) throw error;
        await sleep(delayMs, signal);
      }
    }
  };

  return attemptUntilDone().catch((error: unknown) => {
    throw error instanceof AnimalStoreError ? withDetails(error, attempts, idempotencyKey) : error;
  });
};
