import { AnimalStoreError } from './animal-store-error';
import { clientTimeouts, maxTimerMs } from './timeouts';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Maximum time of each attempt, 10 seconds by default. */
  readonly timeoutMs?: number | undefined;
  /** Time after which a failed attempt is not retried, 30 seconds by default. 0 allows one attempt. */
  readonly retryForMs?: number | undefined;
}

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

/** Ends an attempt at its timeout or when the caller aborts, even if the attempt ignores its signal. */
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
  const timer = setTimeout(
    () => {
      cutOff(new AnimalStoreError('timeout', `no answer within ${timeoutMs} ms`));
    },
    Math.min(timeoutMs, maxTimerMs),
  );
  signal?.addEventListener('abort', onAbort);
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
 * Retries an idempotent attempt while its failure may be temporary, until the time budget of the call is used up.
 * Rejects with the last AnimalStoreError, to which the number of attempts and the idempotency key are added.
 */
export const withRetries = async <A>(
  attempt: (limits: Attempt) => Promise<A>,
  { signal, timeoutMs = clientTimeouts.attemptMs, retryForMs = clientTimeouts.retryForMs }: CallOptions,
  idempotencyKey?: string,
): Promise<A> => {
  if (!(timeoutMs > 0)) throw new TypeError('invalid timeoutMs: it must be greater than 0');
  if (!(retryForMs >= 0)) throw new TypeError('invalid retryForMs: it must be at least 0');
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
