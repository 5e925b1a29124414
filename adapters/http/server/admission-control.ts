import { serviceRate } from './service-rate';

/** More waiting requests than this are refused, however fast they move: each holds some kilobytes. */
const maxWaiting = 10_000;

/** Of `maxWait`: who is let in to wait, and finds that it takes so much, is refused late rather than answered later still. */
const longestWait = 1.25;

/** In milliseconds: how often those who wait are looked through, which takes about one. */
const lookInterval = 250;

/** A request: nobody waits for it any more once its outcome is decided or its client gone. */
export interface Entrant {
  readonly outcome: unknown;
  readonly response: { readonly destroyed: boolean };
}

/** Told once whether a request may be worked on: at once where there is room, else when its turn comes. */
type Admit = (isAdmitted: boolean) => void;

interface Waiter {
  readonly entrant: Entrant;
  /** By `performance.now()`. */
  readonly since: number;
  readonly admit: Admit;
}

const isWanted = ({ outcome, response }: Entrant): boolean => outcome === undefined && !response.destroyed;

export type AdmissionControl = ReturnType<typeof admissionControl>;

/**
 * Lets so many requests be worked on at once; those that follow wait, first come first served. Refuses only who would wait
 * longer than `maxWait`, in milliseconds, told from how many wait and how fast they move; and nobody before the queue has
 * stood for so long. Until then nobody has waited longer, and while a crowd arrives the service is slower than it will be.
 * Once that has shown an overload, those are refused too who were let in to wait for what takes too long.
 */
export const admissionControl = (maxInFlight: number, maxWait: number) => {
  const returning: Array<Waiter> = [];
  let waiting: Array<Waiter> = [];
  const rate = serviceRate();
  let inFlight = 0;
  let isHeld = false;
  let looked = 0;

  const admitIfRoom = (admit: Admit): boolean => {
    if (isHeld || inFlight >= maxInFlight) return false;
    inFlight += 1;
    admit(true);
    return true;
  };

  const admitWaiting = (): void => {
    while (!isHeld && inFlight < maxInFlight) {
      const next = returning.shift() ?? waiting.shift();
      if (next === undefined) return;
      const isAdmitted = isWanted(next.entrant);
      if (isAdmitted) inFlight += 1;
      next.admit(isAdmitted);
    }
  };

  const freePlace = (): void => {
    inFlight -= 1;
    admitWaiting();
  };

  const refuseWhoWaitsTooLong = (perMillisecond: number): void => {
    const now = performance.now();
    if (now - looked < lookInterval) return;
    looked = now;
    const kept: Array<Waiter> = [];
    for (const waiter of waiting) {
      const remaining = (returning.length + kept.length) / perMillisecond;
      if (now - waiter.since + remaining > longestWait * maxWait) waiter.admit(false);
      else kept.push(waiter);
    }
    waiting = kept;
  };

  return {
    /** False for who would wait for too long: nothing is told of it. */
    enter: (entrant: Entrant, admit: Admit): boolean => {
      if (admitIfRoom(admit)) return true;
      const ahead = returning.length + waiting.length;
      if (ahead === 0) rate.restart();
      if (rate.elapsed() > maxWait) {
        const perMillisecond = rate.current();
        if (ahead + 1 > maxWait * perMillisecond) {
          refuseWhoWaitsTooLong(perMillisecond);
          return false;
        }
      }
      if (waiting.length >= maxWaiting) return false;
      waiting.push({ entrant, since: performance.now(), admit });
      return true;
    },
    /** A request that is worked on is not any more, until it re-enters: it waits for its client. */
    pause: freePlace,
    /** For one that has paused: it came before all that wait, goes before them, and is never refused. */
    reenter: (entrant: Entrant, admit: Admit): void => {
      if (!admitIfRoom(admit)) returning.push({ entrant, since: performance.now(), admit });
    },
    /** A request is done. */
    leave: (): void => {
      rate.recordDeparture();
      freePlace();
    },
    /** Nobody is let in until `release`. */
    hold: (): void => {
      isHeld = true;
    },
    release: (): void => {
      isHeld = false;
      admitWaiting();
    },
  };
};
