import { serverTimeouts } from './timeouts';

/** Maximum number of requests that begin in one tick of the event loop. A head in two packets counts twice. */
const maxBegun = 256;

/**
 * Holds requests until a later tick of the event loop in two cases: while clients connect (`AcceptHold`), and after
 * `maxBegun` requests in one tick. Releases the requests in the order in which they arrived.
 *
 * Without `maxBegun`, requests that are answered at once, as by a 400, could delay timers and database results for
 * seconds. If over 1,024 connections have sent something, libuv reads up to 48 times in a tick.
 */
export class RequestQueue {
  readonly acceptHold = new AcceptHold();
  private readonly held: Array<() => void> = [];
  private begun = 0;
  private isTickEndScheduled = false;
  private isPaused = false;

  /** Counts a request as begun in this tick, and returns true. Returns false if the request must be held. */
  tryBegin(): boolean {
    const mustHold = this.isPaused || this.held.length > 0 || this.begun >= maxBegun || this.acceptHold.isDue;
    if (mustHold) return false;
    this.begun += 1;
    this.awaitEndOfTick();
    return true;
  }

  /** Calls `begin` in a later tick, and counts the request in that tick. */
  hold(begin: () => void): void {
    this.held.push(begin);
    this.awaitEndOfTick();
  }

  /** Holds all requests until `resume`. */
  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    this.awaitEndOfTick();
  }

  private awaitEndOfTick(): void {
    if (this.isTickEndScheduled) return;
    this.isTickEndScheduled = true;
    setImmediate(this.endTick);
  }

  private readonly endTick = (): void => {
    this.isTickEndScheduled = false;
    this.begun = 0;
    if (this.held.length === 0 || this.isPaused) return;
    if (!this.acceptHold.continuesAfterTick()) {
      const released = this.held.splice(0, maxBegun);
      this.begun = released.length;
      for (const begin of released) begin();
    }
    this.awaitEndOfTick();
  };
}

/** Maximum number of ticks in a hold. A tick accepts one connection, and on Linux 4,096 can wait by default. */
const maxTicks = 4_096;

/**
 * Decides how long requests are held while clients connect.
 *
 * Node accepts only one connection per tick of the event loop (since libuv 1.45), and each tick also starts the
 * requests that it reads. If many clients connect at the same time, as after a restart, the last would wait for
 * seconds. Requests are therefore held until a tick accepts no connection, but at most for `acceptHoldMs` or
 * `maxTicks`. The next hold can begin only after a pause as long as the last hold, so that connected clients get half
 * of the time.
 */
class AcceptHold {
  private hasAccepted = false;
  /** Number of ticks of the current hold, or 0 without a hold. */
  private ticks = 0;
  private startedAt = 0;
  private pausedUntil = 0;

  /** Reports that the server has accepted a connection. */
  connectionAccepted(): void {
    this.hasAccepted = true;
  }

  /** True if requests must be held: a connection was accepted, and the pause after the last hold is over. */
  get isDue(): boolean {
    return this.hasAccepted && performance.now() >= this.pausedUntil;
  }

  /**
   * Must be called at the end of a tick in which requests were held. Returns true if they stay held for another tick,
   * which is so while each tick accepts a connection, up to the two limits.
   */
  continuesAfterTick(): boolean {
    const now = performance.now();
    if (this.ticks === 0) this.startedAt = now;
    const heldMs = now - this.startedAt;
    const continues = this.isDue && this.ticks < maxTicks && heldMs < serverTimeouts.acceptHoldMs;
    if (!continues && this.ticks > 0) this.pausedUntil = now + heldMs;
    this.ticks = continues ? this.ticks + 1 : 0;
    this.hasAccepted = false;
    return continues;
  }
}
