import { serverTimeouts } from './timeouts';

/** Maximum number of connections to accept in one hold. Linux queues as many in the accept backlog by default. */
const maxAccepted = 4_096;

/**
 * Delays requests while clients connect. Node accepts only one connection per tick of the event loop (since libuv
 * 1.45), and each tick also starts the requests that it reads. If many clients connect at the same time, as after a
 * restart, the last would wait for seconds. Requests are therefore held until a tick accepts no connection, but at
 * most for `acceptHoldMs` or `maxAccepted` connections. After a hold, the next hold can begin only after the same
 * length of time, so that connected clients get half of the time.
 */
export class RequestTurns {
  private held: Array<() => void> = [];
  private hasAccepted = false;
  private accepted = 0;
  private heldSince = 0;
  private nextHoldAt = 0;

  accept(): void {
    this.hasAccepted = true;
  }

  /** True if a request that arrives now must be held. */
  mustHold(): boolean {
    if (this.held.length > 0) return true;
    return this.hasAccepted && performance.now() >= this.nextHoldAt;
  }

  /** Calls `start` when the hold ends. Begins a hold if none is running. */
  hold(start: () => void): void {
    if (this.held.push(start) > 1) return;
    this.accepted = 0;
    this.heldSince = performance.now();
    setImmediate(this.release);
  }

  private readonly release = (): void => {
    const now = performance.now();
    const heldMs = now - this.heldSince;
    if (this.hasAccepted && this.accepted < maxAccepted && heldMs < serverTimeouts.acceptHoldMs) {
      this.hasAccepted = false;
      this.accepted += 1;
      setImmediate(this.release);
      return;
    }
    this.hasAccepted = false;
    this.nextHoldAt = now + heldMs;
    const starts = this.held;
    this.held = [];
    for (const start of starts) start();
  };
}
