import { AcceptHold } from './accept-hold';

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
