import { type ServiceRate, serviceRate } from './service-rate';

/** More waiting requests than this are refused, however fast they move: each holds some kilobytes. */
const maxWaiting = 10_000;

interface Waiter {
  /** False once its client is gone, or was told that its deadline has passed. */
  readonly isWanted: () => boolean;
  readonly admit: (isAdmitted: boolean) => void;
}

/** Lets so many requests be worked on at once; those that follow wait, first come first served. */
export interface AdmissionControl {
  /** True where there is room; a promise of it where the request has to wait; false where it would wait for too long. */
  readonly enter: (isWanted: Waiter['isWanted']) => boolean | Promise<boolean>;
  /** A request that is worked on is not any more, until it re-enters: it waits for its client. */
  readonly pause: () => void;
  /** For one that has paused: it came before all that wait, goes before them, and is never refused. */
  readonly reenter: (isWanted: Waiter['isWanted']) => boolean | Promise<boolean>;
  /** A request is done. */
  readonly leave: () => void;
}

/**
 * Refuses only who would wait longer than `maxWait`, in milliseconds, told from how many wait and how fast they move; and
 * nobody before the queue has stood for so long. Until then nobody has waited longer, and while a crowd arrives the
 * service is slower than it will be.
 */
export const admissionControl = (maxInFlight: number, maxWait: number): AdmissionControl => {
  const returning: Array<Waiter> = [];
  const waiting: Array<Waiter> = [];
  const rate: ServiceRate = serviceRate();
  let inFlight = 0;

  const waitIn = (queue: Array<Waiter>, isWanted: Waiter['isWanted']): Promise<boolean> =>
    new Promise((admit) => {
      queue.push({ isWanted, admit });
    });

  const hasRoom = (): boolean => {
    if (inFlight >= maxInFlight) return false;
    inFlight += 1;
    return true;
  };

  const admitNext = (): void => {
    inFlight -= 1;
    while (inFlight < maxInFlight) {
      const next = returning.shift() ?? waiting.shift();
      if (next === undefined) return;
      const isWanted = next.isWanted();
      if (isWanted) inFlight += 1;
      next.admit(isWanted);
    }
  };

  return {
    enter: (isWanted) => {
      if (hasRoom()) return true;
      const ahead = returning.length + waiting.length;
      if (ahead === 0) rate.restart();
      const isTooLong = rate.elapsed() > maxWait && rate.timeFor(ahead + 1) > maxWait;
      return waiting.length < maxWaiting && !isTooLong && waitIn(waiting, isWanted);
    },
    pause: admitNext,
    reenter: (isWanted) => hasRoom() || waitIn(returning, isWanted),
    leave: () => {
      rate.recordDeparture();
      admitNext();
    },
  };
};
