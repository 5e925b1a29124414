import { serverTimeouts } from './timeouts';

/** Maximum number of connections to accept in one hold. Linux queues as many in the accept backlog by default. */
const maxAccepted = 4_096;

/** Maximum number of requests that begin in one turn of the event loop. */
const maxBegun = 256;

/**
 * Holds requests until a later turn of the event loop, in the order in which they arrived.
 *
 * Node accepts only one connection per turn (since libuv 1.45), and each turn also starts the requests that it reads.
 * If many clients connect at the same time, as after a restart, the last would wait for seconds. Requests are therefore
 * held until a turn accepts no connection, but at most for `acceptHoldMs` or `maxAccepted` connections. After such a
 * hold, the next one can begin only after the same length of time, so that connected clients get half of the time.
 *
 * If over 1,024 connections have sent something, libuv reads again up to 48 times in the same turn. Connections that
 * are answered at once, as by a 400, could then keep timers and the requests that wait for the database from running
 * for seconds. So only `maxBegun` requests begin in a turn.
 */
export class RequestTurns {
  private readonly held: Array<() => void> = [];
  private begun = 0;
  private isReleasing = false;
  private isTurnEndScheduled = false;
  private hasAccepted = false;
  private accepted = 0;
  private heldSince = 0;
  private nextHoldAt = 0;

  accept(): void {
    this.hasAccepted = true;
  }

  /** Counts a request as begun in this turn, and returns true. Returns false if the request must be held. */
  tryBegin(): boolean {
    // `release` has counted the request already.
    if (this.isReleasing) return true;
    if (this.held.length > 0 || this.begun >= maxBegun) return false;
    if (this.hasAccepted && performance.now() >= this.nextHoldAt) return false;
    this.begun += 1;
    this.awaitEndOfTurn();
    return true;
  }

  /** Calls `start` when the hold ends. Begins a hold if none is running. */
  hold(start: () => void): void {
    if (this.held.push(start) > 1) return;
    this.heldSince = performance.now();
    this.awaitEndOfTurn();
  }

  private awaitEndOfTurn(): void {
    if (this.isTurnEndScheduled) return;
    this.isTurnEndScheduled = true;
    setImmediate(this.endTurn);
  }

  private readonly endTurn = (): void => {
    this.isTurnEndScheduled = false;
    this.begun = 0;
    if (this.held.length > 0) {
      if (!this.extendHold()) this.release();
      this.awaitEndOfTurn();
    }
  };

  /** Extends the hold by a turn, and returns true, if this turn has accepted a connection. Otherwise ends the hold. */
  private extendHold(): boolean {
    const now = performance.now();
    const heldMs = now - this.heldSince;
    const hasAccepted = this.hasAccepted && this.heldSince >= this.nextHoldAt;
    this.hasAccepted = false;
    if (hasAccepted && this.accepted < maxAccepted && heldMs < serverTimeouts.acceptHoldMs) {
      this.accepted += 1;
      return true;
    }
    if (this.accepted > 0) this.nextHoldAt = now + heldMs;
    this.accepted = 0;
    this.heldSince = now;
    return false;
  }

  private release(): void {
    const starts = this.held.splice(0, maxBegun);
    this.begun = starts.length;
    this.isReleasing = true;
    for (const start of starts) start();
    // A resumed socket emits its bytes in the next tick, before this callback runs.
    process.nextTick(() => {
      this.isReleasing = false;
    });
  }
}
