import { serverTimeouts } from './timeouts';

/** Maximum number of turns, and so of connections, in a hold. Linux queues as many in the accept backlog by default. */
const maxTurns = 4_096;

/**
 * Decides how long requests are held while clients connect.
 *
 * Node accepts only one connection per turn of the event loop (since libuv 1.45), and each turn also starts the
 * requests that it reads. If many clients connect at the same time, as after a restart, the last would wait for seconds.
 * Requests are therefore held until a turn accepts no connection, but at most for `acceptHoldMs` or `maxTurns`. After
 * such a hold, the next one can begin only after the same length of time, so that connected clients get half of the
 * time.
 */
export class AcceptHold {
  private hasAccepted = false;
  private turns = 0;
  private startedAt = 0;
  private nextStartAt = 0;

  /** Reports that a connection was accepted. */
  accept(): void {
    this.hasAccepted = true;
  }

  /** True if a connection was accepted, and requests are to be held. */
  get isDue(): boolean {
    return this.hasAccepted && performance.now() >= this.nextStartAt;
  }

  start(): void {
    this.startedAt = performance.now();
  }

  /** Ends a turn with held requests. Returns true if the hold goes on, because the turn has accepted a connection. */
  continuesAfterTurn(): boolean {
    const now = performance.now();
    const heldMs = now - this.startedAt;
    const mayContinue =
      this.startedAt >= this.nextStartAt && this.turns < maxTurns && heldMs < serverTimeouts.acceptHoldMs;
    const continues = this.hasAccepted && mayContinue;
    this.hasAccepted = false;
    if (continues) {
      this.turns += 1;
      return true;
    }
    if (this.turns > 0) this.nextStartAt = now + heldMs;
    this.turns = 0;
    this.startedAt = now;
    return false;
  }
}
