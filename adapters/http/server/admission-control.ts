/** More waiting requests than this are refused, whatever the pace: each holds some kilobytes. */
const maxWaiting = 10_000;

/** In milliseconds. The pace of the queue is that of the last two windows, the one that is going on among them. */
const paceWindow = 250;

/** In milliseconds: how long a queue must have stood before its pace says something. */
const shortestSample = 100;

interface Waiter {
  /** False once its client is gone, or was told that it took too long. */
  readonly isWanted: () => boolean;
  readonly admit: (isAdmitted: boolean) => void;
}

/** Lets so many requests be worked on at once; those that follow wait their turn, first come first served. */
export interface AdmissionControl {
  /** True where there is room now; a promise of it where it has to wait; false where it would wait for too long. */
  readonly enter: (isWanted: Waiter['isWanted']) => boolean | Promise<boolean>;
  /** For one that was let in before and has left since: it goes before all that wait, and is never refused. */
  readonly reenter: (isWanted: Waiter['isWanted']) => boolean | Promise<boolean>;
  readonly leave: () => void;
}

/** How fast a queue moves, measured only while it stands: an idle service's pace is its clients'. */
const paceOfQueue = () => {
  let began = 0;
  let turns = 0;
  let before = 0;
  return {
    stands: () => {
      began = performance.now();
      turns = 0;
      before = 0;
    },
    turned: () => {
      turns += 1;
    },
    /** How long so many turns take, in milliseconds; 0 while nothing is known. */
    timeFor: (count: number): number => {
      const elapsed = performance.now() - began;
      if (before === 0 && elapsed < shortestSample) return 0;
      const pace = Math.max(before, turns / elapsed);
      if (elapsed >= paceWindow) {
        before = turns / elapsed;
        began += elapsed;
        turns = 0;
      }
      return count / pace;
    },
  };
};

/** Refuses only who would wait longer than `maxWait`, in milliseconds, told from the queue's length and its pace. */
export const admissionControl = (maxInFlight: number, maxWait: number): AdmissionControl => {
  const returning: Array<Waiter> = [];
  const waiting: Array<Waiter> = [];
  const pace = paceOfQueue();
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

  return {
    enter: (isWanted) => {
      if (hasRoom()) return true;
      if (waiting.length === 0) pace.stands();
      if (waiting.length >= maxWaiting || pace.timeFor(waiting.length + 1) > maxWait) return false;
      return waitIn(waiting, isWanted);
    },
    reenter: (isWanted) => hasRoom() || waitIn(returning, isWanted),
    leave: () => {
      inFlight -= 1;
      pace.turned();
      while (inFlight < maxInFlight) {
        const next = returning.shift() ?? waiting.shift();
        if (next === undefined) return;
        const isWanted = next.isWanted();
        if (isWanted) inFlight += 1;
        next.admit(isWanted);
      }
    },
  };
};
