import { serverTimeouts } from './timeouts';

/** Maximum number of connections that a hold waits for. Linux keeps as many in the accept backlog of a socket. */
const maxAccepted = 4_096;

/**
 * Lets Node accept connections before requests start. Node accepts one connection per tick of the event loop (since
 * libuv 1.45). A tick lasts until the requests that it has read are started. Clients that connect at once, as after a
 * restart, would wait for seconds. Requests are therefore held until a tick has accepted no connection. After a hold,
 * requests start freely for as long as it lasted, so that connected clients get half of the time.
 */
export class AcceptPriority {
  private held: Array<() => void> = [];
  private hasAccepted = false;
  private accepted = 0;
  private heldSince = 0;
  private nextHoldAt = 0;

  /** Records that a connection was accepted. */
  accept(): void {
    this.hasAccepted = true;
  }

  /** True if a request must be held now. */
  isHolding(): boolean {
    if (this.held.length > 0) return true;
    return this.hasAccepted && performance.now() >= this.nextHoldAt;
  }

  /** Calls `start` when the hold ends. The first call begins the hold. */
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
