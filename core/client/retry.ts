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

interface Relay {
  readonly aborts: Set<() => void>;
  readonly abortAll: () => void;
}

const relays = new WeakMap<AbortSignal, Relay>();

const makeRelay = (): Relay => {
  const aborts = new Set<() => void>();
  const abortAll = (): void => {
    for (const abort of aborts) abort();
  };
  return { aborts, abortAll };
};

/**
 * Calls `abort` when the signal is aborted, and returns a function that undoes this. All calls share one listener on the
 * signal, because Node warns of a leak if a signal has more than ten. `AbortSignal.any` would leak memory on Node 20.
 */
const onAbort = (signal: AbortSignal, abort: () => void): (() => void) => {
  const relay = relays.get(signal) ?? makeRelay();
  relays.set(signal, relay);
  relay.aborts.add(abort);
  signal.addEventListener('abort', relay.abortAll); // has no effect for a listener that the signal already has
  return () => {
    relay.aborts.delete(abort);
    if (relay.aborts.size === 0) signal.removeEventListener('abort', relay.abortAll);
  };
};

const timedOut = Symbol('timed out');

/** Settles as the first of the promises does, or resolves to `timedOut` after this time. */
const raceTimeout = async <A>(
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
  try {
    return await Promise.race([timeout, ...promises]);
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Runs an idempotent call, and retries it after temporary failures until `retryForMs` has passed. Rejects with the last
 * AnimalStoreError, to which it adds the number of attempts and the idempotency key. client.ts makes every call with it.
 */
export const withRetries = async <A>(
  attempt: (limits: Attempt) => Promise<A>,
  options: CallOptions,
  idempotencyKey?: string,
): Promise<A> => {
  const { signal, onRetry, fetch } = options;
  const { timeoutMs = clientTimeouts.attemptMs, retryForMs = clientTimeouts.retryForMs } = options;
  const giveUpAt = performance.now() + retryForMs;
  let attempts = 0;
  let stopListening: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    const abort = (): void => {
      const cause: unknown = signal?.reason;
      const details = { cause, attempts, idempotencyKey };
      reject(new AnimalStoreError('aborted', 'the call was aborted', details));
    };
    if (signal?.aborted === true) abort();
    else stopListening = signal && onAbort(signal, abort);
  });

  /** Ends the attempt at its timeout, or when the caller aborts, even if the attempt ignores its signal. */
  const attemptOnce = async (): Promise<A> => {
    if (signal?.aborted === true) return aborted;
    attempts += 1;
    const controller = new AbortController();
    try {
      const sent = attempt({ signal: controller.signal, timeoutMs, fetch });
      const outcome = await raceTimeout(timeoutMs, aborted, sent);
      if (outcome !== timedOut) return outcome;
      throw new AnimalStoreError('timeout', `no answer within ${timeoutMs} ms`);
    } finally {
      controller.abort();
    }
  };

  try {
    for (;;) {
      try {
        return await attemptOnce();
      } catch (error) {
        if (!(error instanceof AnimalStoreError) || error.code === 'invalid_argument') throw error;
        Object.assign(error, { attempts, idempotencyKey });
        const delayMs = backoffMs(error, attempts);
        if (!isRetried(error) || performance.now() + delayMs > giveUpAt) throw error;
        onRetry?.({ attempt: attempts, delayMs, error });
        await raceTimeout(delayMs, aborted);
      }
    }
  } finally {
    stopListening?.();
  }
};
