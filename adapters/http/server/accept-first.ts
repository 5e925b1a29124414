import type { AdmissionControl } from './admission-control';

/** In milliseconds: how long requests are held at most, and then worked on at least, while connections keep coming. */
const period = 50;

/**
 * What is to be called for each new connection. libuv 1.46 (Node 20) accepts one in a turn of the event loop, and a turn
 * in which requests are worked on takes milliseconds: the last of 2,000 clients would be accepted seconds after the
 * first. So while connections keep coming, requests wait for them.
 */
export const acceptFirst = ({ hold, release }: AdmissionControl): (() => void) => {
  let isHeld = false;
  let isAccepting = false;
  let changed = -Infinity;

  const look = (): void => {
    if (isAccepting && performance.now() - changed < period) {
      isAccepting = false;
      setImmediate(look);
      return;
    }
    isHeld = false;
    changed = isAccepting ? performance.now() : -Infinity;
    release();
  };

  return () => {
    isAccepting = true;
    if (isHeld || performance.now() - changed < period) return;
    isHeld = true;
    changed = performance.now();
    hold();
    setImmediate(look);
  };
};
