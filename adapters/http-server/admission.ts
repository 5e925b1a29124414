const rateWindowMs = 250;

const rateWindows = 4;

/**
 * Measures throughput in requests per millisecond while requests are queued. Without a queue, the throughput would only
 * be the arrival rate. Returns the maximum over the last windows of 250 ms, so that a short stall does not look like a
 * slow database.
 */
const serviceRate = () => {
  let startedAt = 0;
  let windowStartedAt = 0;
  let finished = 0;
  let earlierRates: ReadonlyArray<number> = [];
  return {
    restart: (): void => {
      startedAt = performance.now();
      windowStartedAt = startedAt;
      finished = 0;
      earlierRates = [];
    },
    recordFinished: (): void => {
      finished += 1;
    },
    elapsedMs: (): number => performance.now() - startedAt,
    current: (): number => {
      const lengthMs = performance.now() - windowStartedAt;
      const rateNow = finished / Math.max(lengthMs, rateWindowMs);
      const rate = Math.max(rateNow, ...earlierRates);
      if (lengthMs >= rateWindowMs) {
        earlierRates = [rateNow, ...earlierRates.slice(0, rateWindows - 1)];
        windowStartedAt += lengthMs;
        finished = 0;
      }
      return rate;
    },
  };
};

const maxQueued = 10_000;

const lateShedFactor = 1.25;

const shedIntervalMs = 250;

export interface Entrant {
  readonly arrivedAt: number;
  readonly isPending: () => boolean;
  readonly admit: () => void;
  readonly shed: () => void;
}

export type Admission = ReturnType<typeof createAdmission>;

/**
 * Limits the requests that run at once, and queues further requests in order of arrival. Sheds requests (rejects them
 * with a 503) that would wait longer than `maxWaitMs` at the current throughput. The throughput counts only after the
 * queue has lasted for `maxWaitMs`, because a burst of new connections lowers it for a moment. The queue is searched
 * for late requests at most every `shedIntervalMs`, because a search takes about a millisecond.
 */
const createAdmission = (maxInFlight: number, maxWaitMs: number, mayQueue: () => boolean) => {
  const returning: Array<Entrant> = [];
  let queue: Array<Entrant> = [];
  const rate = serviceRate();
  let inFlight = 0;
  let isHeld = false;
  let lastShedAt = 0;

  const takeSlot = (): boolean => {
    if (isHeld || inFlight >= maxInFlight) return false;
    inFlight += 1;
    return true;
  };

  const admitQueued = (): void => {
    while (!isHeld && inFlight < maxInFlight) {
      const next = returning.shift() ?? queue.shift();
      if (next === undefined) return;
      if (!next.isPending()) continue;
      inFlight += 1;
      next.admit();
    }
  };

  const freeSlot = (): void => {
    inFlight -= 1;
    admitQueued();
  };

  const shedLate = (perMs: number): void => {
    const now = performance.now();
    if (now - lastShedAt < shedIntervalMs) return;
    lastShedAt = now;
    const kept: Array<Entrant> = [];
    for (const entrant of queue) {
      if (!entrant.isPending()) continue;
      const remainingMs = (returning.length + kept.length) / perMs;
      if (now - entrant.arrivedAt + remainingMs > lateShedFactor * maxWaitMs) entrant.shed();
      else kept.push(entrant);
    }
    queue = kept;
  };

  return {
    /** Admits, queues or sheds a request. For a queued request, `admit` or `shed` is called later. */
    enter: (entrant: Entrant): 'admitted' | 'queued' | 'shed' => {
      if (takeSlot()) return 'admitted';
      const ahead = returning.length + queue.length;
      if (ahead === 0) rate.restart();
      if (rate.elapsedMs() > maxWaitMs) {
        const perMs = rate.current();
        if (ahead + 1 > maxWaitMs * perMs) {
          shedLate(perMs);
          return 'shed';
        }
      }
      if (!mayQueue()) return 'shed';
      queue.push(entrant);
      return 'queued';
    },
    queued: (): number => queue.length,
    shedNewest: (): void => {
      const newest = queue.pop();
      if (newest?.isPending() === true) newest.shed();
    },
    pause: freeSlot,
    reenter: (entrant: Entrant): void => {
      if (takeSlot()) entrant.admit();
      else returning.push(entrant);
    },
    leave: (): void => {
      rate.recordFinished();
      freeSlot();
    },
    hold: (): void => {
      isHeld = true;
    },
    release: (): void => {
      isHeld = false;
      admitQueued();
    },
  };
};

/**
 * Separate slots for reads and writes, so that writes that wait for a locked database cannot block reads. If both
 * queues together are full, a request for the shorter queue makes the longer queue shed its newest request.
 * create-http-server.ts creates the slots. Each `Exchange` of request-lifecycle.ts enters `reads` or `writes`,
 * depending on its method.
 */
export interface Bulkheads {
  readonly reads: Admission;
  readonly writes: Admission;
}

export const createBulkheads = (maxInFlight: number, maxWaitMs: number): Bulkheads => {
  const mayQueue = (own: Admission, other: Admission): boolean => {
    if (own.queued() + other.queued() < maxQueued) return true;
    if (own.queued() >= other.queued()) return false;
    other.shedNewest();
    return true;
  };
  const reads: Admission = createAdmission(maxInFlight, maxWaitMs, () => mayQueue(reads, writes));
  const writes: Admission = createAdmission(maxInFlight, maxWaitMs, () => mayQueue(writes, reads));
  return { reads, writes };
};

const safeMethods: ReadonlyArray<string | undefined> = ['GET', 'HEAD', 'OPTIONS', 'TRACE'];

export const isSafe = (method: string | undefined): boolean => safeMethods.includes(method);

/**
 * Returns a function that queues tasks. At most `maxPerTurn` tasks run per tick of the event loop, so that other
 * connections are served in between. Parsing, writing and rejecting each have a queue of their own. Without
 * `rejectionThrottle`, rejected clients that retry at once could block the event loop for seconds.
 */
export const turnThrottle = (maxPerTurn: number): ((task: () => void) => void) => {
  const queue: Array<() => void> = [];
  const runSome = (): void => {
    for (const task of queue.splice(0, maxPerTurn)) task();
    if (queue.length > 0) setImmediate(runSome);
  };
  return (task) => {
    if (queue.push(task) === 1) setImmediate(runSome);
  };
};

export const rejectionThrottle = turnThrottle(16);

/**
 * Returns a connection listener that holds requests back while more connections arrive, for at most `acceptMs`. After a
 * hold of that length, requests run for at least as long before the next hold. libuv 1.46 (Node 20) accepts one
 * connection per tick of the event loop, and a tick that runs requests takes milliseconds. Without the hold, the last
 * of 2,000 clients would be accepted seconds after the first.
 */
export const prioritizeAccept = ({ reads, writes }: Bulkheads, acceptMs: number): (() => void) => {
  let isHeld = false;
  let isAccepting = false;
  let changedAt = -Infinity;

  const releaseWhenQuiet = (): void => {
    if (isAccepting && performance.now() - changedAt < acceptMs) {
      isAccepting = false;
      setImmediate(releaseWhenQuiet);
      return;
    }
    isHeld = false;
    changedAt = isAccepting ? performance.now() : -Infinity;
    reads.release();
    writes.release();
  };

  return () => {
    isAccepting = true;
    if (isHeld || performance.now() - changedAt < acceptMs) return;
    isHeld = true;
    changedAt = performance.now();
    reads.hold();
    writes.hold();
    setImmediate(releaseWhenQuiet);
  };
};
