import { serverTimeouts } from './timeouts';

/** Maximum number of requests that begin in one turn of the event loop. */
const maxBegun = 256;

/**
 * Holds requests until a later turn of the event loop, in the order in which they arrived: while connections arrive
 * (`AcceptHold`), and above `maxBegun` requests in a turn.
 *
 * If over 1,024 connections have sent something, libuv reads again up to 48 times in the same turn. Connections that
 * are answered at once, as by a 400, could then keep timers and the requests that wait for the database from running
 * for seconds.
 */
export class RequestTurns {
  readonly acceptHold = new AcceptHold();
  private readonly held: Array<() => void> = [];
  private begun = 0;
  private isTurnEndScheduled = false;

  /** Counts a request as begun in this turn, and returns true. Returns false if the request must be held. */
  tryBegin(): boolean {
    if (this.held.length > 0 || this.begun >= maxBegun || this.acceptHold.isDue) return false;
    this.begun += 1;
    this.awaitEndOfTurn();
    return true;
  }

  /** Calls `begin` in a later turn, which counts the request. */
  hold(begin: () => void): void {
    if (this.held.push(begin) > 1) return;
    this.acceptHold.start();
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
    if (this.held.length === 0) return;
    if (!this.acceptHold.continuesAfterTurn()) this.release();
    this.awaitEndOfTurn();
  };

  private release(): void {
    const begins = this.held.splice(0, maxBegun);
    this.begun = begins.length;
    for (const begin of begins) begin();
  }
}

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
class AcceptHold {
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
