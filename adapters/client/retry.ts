import { AnimalStoreError, mustReachCaller } from './animal-store-error';
import type { CallOptions } from './options';

export const clientTimeouts = {
  attemptMs: 10_000,
  retryCreatesForMs: 10_000,
  retryReadsForMs: 3_000,
  meanFirstDelayMs: 200,
  maxDelayMs: 5_000,
} as const;

/** Limits of one attempt of a call, and the options that only the transport uses. */
export interface Attempt extends Pick<CallOptions, 'fetch' | 'headers'> {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/**
 * Runs an idempotent call, and retries it after temporary failures until `retryForMs` has passed. Rejects with the
 * error of the last attempt. An AnimalStoreError gets the number of attempts and the idempotency key.
 */
export const withRetries = async <A>(
  send: (attempt: Attempt) => Promise<A>,
  options: CallOptions & { readonly retryForMs: number },
  idempotencyKey?: string,
): Promise<A> => {
  const { signal, onRetry, fetch, headers, retryForMs, timeoutMs = clientTimeouts.attemptMs } = options;
  const giveUpAt = performance.now() + retryForMs;
  let attempts = 0;
  const details = () => ({ attempts, idempotencyKey });
  const [aborted, stopListening] = rejectOnAbort(signal, details);
  try {
    for (;;) {
      if (signal?.aborted === true) return await aborted;
      attempts += 1;
      try {
        return await attemptOnce(send, { timeoutMs, fetch, headers }, aborted);
      } catch (cause) {
        if (!(cause instanceof AnimalStoreError)) throw cause;
        // Does not count an attempt that sent no request, for example because the function `apiKey` of the options
        // returned an invalid key.
        if (cause.code === 'invalid_argument') attempts -= 1;
        Object.assign(cause, details());
        const delayMs = backoffMs(cause, attempts);
        if (!isRetried(cause) || performance.now() + delayMs > giveUpAt) throw cause;
        onRetry?.({ attempt: attempts, delayMs, error: cause });
        await raceTimeout(delayMs, aborted);
      }
    }
  } catch (cause) {
    if (mustReachCaller(cause)) throw cause;
    const message = `callback failed: ${String(cause)}`;
    throw new AnimalStoreError('callback_failed', message, { ...details(), cause });
  } finally {
    stopListening?.();
  }
};

/** Makes one attempt, which ends at its timeout or when the caller aborts, even if `send` ignores its signal. */
const attemptOnce = async <A>(
  send: (attempt: Attempt) => Promise<A>,
  attempt: Omit<Attempt, 'signal'>,
  aborted: Promise<never>,
): Promise<A> => {
  const controller = new AbortController();
  try {
    const answer = send({ ...attempt, signal: controller.signal });
    const outcome = await raceTimeout(attempt.timeoutMs, aborted, answer);
    if (outcome !== timedOut) return outcome;
    throw new AnimalStoreError('timeout', `no answer within ${attempt.timeoutMs} ms`);
  } finally {
    controller.abort();
  }
};

const timedOut = Symbol('timed out');

/** Maximum delay of `setTimeout`, 24.8 days. A timer with a longer delay would fire at once. */
const maxTimerMs = 2 ** 31 - 1;

/** Settles as the first of the promises does, or resolves to `timedOut` after `milliseconds`. */
const raceTimeout = <A>(
  milliseconds: number,
  ...promises: ReadonlyArray<Promise<A>>
): Promise<A | typeof timedOut> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<typeof timedOut>((resolve) => {
    const end = (): void => {
      resolve(timedOut);
    };
    timer = setTimeout(end, Math.min(milliseconds, maxTimerMs));
  });
  return Promise.race([timeout, ...promises]).finally(() => {
    clearTimeout(timer);
  });
};

// Statuses after which a call is retried. A call without a response has a status, too: 502 after a network error, and
// 504 after a timeout. Cloudflare sends the statuses from 520 while a service restarts.
const retriedStatuses = [408, 425, 429, 502, 503, 504, 520, 521, 522, 523, 524, 530];

export const isRetried = ({ code, status }: { readonly code: string; readonly status: number }): boolean =>
  retriedStatuses.includes(status) || code === 'idempotency_key_in_flight';

const backoffMs = ({ retryAfterMs = 0 }: AnimalStoreError, attempts: number): number =>
  retryAfterMs +
  Math.random() * Math.min(clientTimeouts.maxDelayMs, clientTimeouts.meanFirstDelayMs * 2 ** attempts);

/** Returns a promise that rejects when the signal is aborted, and a function that stops listening to the signal. */
const rejectOnAbort = (
  signal: AbortSignal | undefined,
  details: () => object,
): readonly [aborted: Promise<never>, stopListening: (() => void) | undefined] => {
  let stopListening: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    const abort = (): void => {
      reject(
        new AnimalStoreError('aborted', 'the call was aborted', { ...details(), cause: signal?.reason }),
      );
    };
    if (signal?.aborted === true) abort();
    else stopListening = signal && onAbort(signal, abort);
  });
  return [aborted, stopListening];
};

/** Functions that abort the calls in progress. The key is the signal that was passed to these calls. */
const abortsOf = new Map<EventTarget | null, Set<() => void>>();

const abortCalls = ({ target }: Event): void => {
  for (const abort of abortsOf.get(target) ?? []) abort();
};

/**
 * Calls `abort` when the signal is aborted. Returns a function that removes `abort`. Calls with one signal share a
 * listener, because Node warns of a leak if a signal has more than ten. Avoids `AbortSignal.any`, which leaks memory on
 * Node 20.
 */
const onAbort = (signal: AbortSignal, abort: () => void): (() => void) => {
  const aborts = abortsOf.get(signal) ?? new Set();
  abortsOf.set(signal, aborts.add(abort));
  // Has no effect if the signal already has this listener.
  signal.addEventListener('abort', abortCalls);
  return () => {
    aborts.delete(abort);
    if (aborts.size > 0) return;
    signal.removeEventListener('abort', abortCalls);
    abortsOf.delete(signal);
  };
};
