import { maxTimerMs } from '../rules';
import { AnimalStoreError } from './animal-store-error';
import type { CallOptions } from './options';

export const clientTimeouts = {
  attemptMs: 10_000,
  retryForMs: 30_000,
  firstDelayMs: 200,
  maxDelayMs: 5_000,
} as const;

/** Limits of one attempt of a call. `fetch` is that of the call, if it has one. */
export interface Attempt {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly fetch: typeof fetch | undefined;
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

const isRetried = ({ code, status }: AnimalStoreError): boolean =>
  retriedCodes.includes(code) || retriedStatuses.includes(status);

const backoffMs = ({ retryAfterMs = 0 }: AnimalStoreError, attempts: number): number =>
  retryAfterMs +
  Math.random() * Math.min(clientTimeouts.maxDelayMs, clientTimeouts.firstDelayMs * 2 ** attempts);

const abortedBy = (signal: AbortSignal): AnimalStoreError =>
  new AnimalStoreError('aborted', 'the call was aborted', { cause: signal.reason });

interface Listener {
  readonly ends: Set<() => void>;
  readonly endAll: () => void;
}

const listeners = new WeakMap<AbortSignal, Listener>();

const listenTo = (signal: AbortSignal): Listener => {
  const ends = new Set<() => void>();
  const endAll = (): void => {
    for (const end of [...ends]) end();
  };
  signal.addEventListener('abort', endAll);
  const listener = { ends, endAll };
  listeners.set(signal, listener);
  return listener;
};

/**
 * Calls `end` when the signal is aborted, and returns a function that undoes this. All calls share one listener on the
 * signal, because Node warns of a leak if a signal has more than ten. The last call removes it.
 */
const onAbort = (signal: AbortSignal, end: () => void): (() => void) => {
  const { ends, endAll } = listeners.get(signal) ?? listenTo(signal);
  ends.add(end);
  return () => {
    ends.delete(end);
    if (ends.size > 0) return;
    signal.removeEventListener('abort', endAll);
    listeners.delete(signal);
  };
};

const sleep = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(abortedBy(signal));
      return;
    }
    const timer = setTimeout(
      () => {
        removeListener?.();
        resolve();
      },
      Math.min(milliseconds, maxTimerMs),
    );
    const removeListener =
      signal &&
      onAbort(signal, () => {
        clearTimeout(timer);
        reject(abortedBy(signal));
      });
  });

/** Ends an attempt at its timeout, or when the caller aborts, even if the attempt ignores its signal. */
const runAttempt = async <A>(
  attempt: (limits: Attempt) => Promise<A>,
  { signal, timeoutMs, fetch }: CallOptions & { readonly timeoutMs: number },
): Promise<A> => {
  const controller = new AbortController();
  let cutOff: (error: AnimalStoreError) => void;
  const isCutOff = new Promise<never>((_, reject) => {
    cutOff = (error) => {
      reject(error);
      controller.abort(error);
    };
  });
  const removeListener =
    signal &&
    onAbort(signal, () => {
      cutOff(abortedBy(signal));
    });
  const timer = setTimeout(
    () => {
      cutOff(new AnimalStoreError('timeout', `no answer within ${timeoutMs} ms`));
    },
    Math.min(timeoutMs, maxTimerMs),
  );
  try {
    return await Promise.race([attempt({ signal: controller.signal, timeoutMs, fetch }), isCutOff]);
  } finally {
    clearTimeout(timer);
    removeListener?.();
  }
};

const withDetails = (
  { code, message, status, fields, requestId, retryAfterMs, cause }: AnimalStoreError,
  attempts: number,
  idempotencyKey: string | undefined,
): AnimalStoreError =>
  new AnimalStoreError(code, message, {
    ...{ status, fields, requestId, retryAfterMs, cause },
    ...{ attempts, idempotencyKey },
  });

/**
 * Runs an idempotent call, and retries it after temporary failures until `retryForMs` has passed. Rejects with the last
 * AnimalStoreError, to which it adds the number of attempts and the idempotency key. client.ts makes every call with it.
 */
export const withRetries = async <A>(
  attempt: (limits: Attempt) => Promise<A>,
  options: CallOptions,
  idempotencyKey?: string,
): Promise<A> => {
  const {
    signal,
    onRetry,
    timeoutMs = clientTimeouts.attemptMs,
    retryForMs = clientTimeouts.retryForMs,
  } = options;
  const giveUpAt = performance.now() + retryForMs;
  let attempts = 0;

  const attemptUntilDone = async (): Promise<A> => {
    for (;;) {
      if (signal?.aborted === true) throw abortedBy(signal);
      attempts += 1;
      try {
        return await runAttempt(attempt, { ...options, timeoutMs });
      } catch (error) {
        if (!(error instanceof AnimalStoreError && isRetried(error))) throw error;
        const delayMs = backoffMs(error, attempts);
        if (performance.now() + delayMs > giveUpAt) throw error;
        onRetry?.({ attempt: attempts, delayMs, error: withDetails(error, attempts, idempotencyKey) });
        await sleep(delayMs, signal);
      }
    }
  };

  return attemptUntilDone().catch((error: unknown) => {
    throw error instanceof AnimalStoreError && error.code !== 'invalid_argument'
      ? withDetails(error, attempts, idempotencyKey)
      : error;
  });
};
