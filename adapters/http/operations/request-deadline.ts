import * as E from 'fp-ts/Either';
import { constVoid } from 'fp-ts/function';
import { type Deadline, unavailable } from '../../../core';
import type { Outcome } from './reply';

/** Maximum time to answer a request, from its start. The time for which it waits for its body is not counted. */
export const maxResponseMs = 4_000;

export class RequestDeadline {
  private endsAt: number;
  /** The timer runs on in `Paused`, because most bodies arrive soon. It has gone off in `PausedWithoutTimer`. */
  private state: 'Counting' | 'Paused' | 'PausedWithoutTimer' = 'Counting';
  private timer: NodeJS.Timeout | undefined;
  private end: (outcome: Outcome) => void = constVoid;

  /** `startedAt` is the start of the request by `performance.now()`. */
  constructor(startedAt: number) {
    this.endsAt = startedAt + maxResponseMs;
  }

  /** Time by which the reply must be made. It moves when the body has arrived. */
  get time(): Deadline {
    return this.endsAt;
  }

  /**
   * Resolves to the outcome of a handler. Fails with Unavailable at the deadline, and with a Defect if the handler
   * rejects. A late handler continues, but its outcome is ignored.
   */
  endInTime(handled: Promise<Outcome>): Promise<Outcome> {
    return new Promise((resolve) => {
      this.end = (outcome) => {
        clearTimeout(this.timer);
        resolve(outcome);
      };
      this.timer = setTimeout(this.check, maxResponseMs);
      handled.then(this.end, (cause: unknown) => {
        this.end(E.left({ _tag: 'Defect', cause }));
      });
    });
  }

  private readonly check = (): void => {
    const leftMs = this.endsAt - performance.now();
    if (this.state !== 'Counting') this.state = 'PausedWithoutTimer';
    else if (leftMs > 0) this.timer = setTimeout(this.check, leftMs);
    else this.end(E.left(unavailable(lateRequest())));
  };

  /**
   * Waits for a body, and moves the deadline by the duration of the wait. The HTTP server or the framework limits the
   * wait.
   */
  async pauseUntil<A>(arrival: Promise<A>): Promise<A> {
    const began = performance.now();
    this.state = 'Paused';
    const body = await arrival;
    this.resume(performance.now() - began);
    return body;
  }

  private resume(pausedMs: number): void {
    const { state } = this;
    this.endsAt += pausedMs;
    this.state = 'Counting';
    if (state === 'PausedWithoutTimer') this.check();
  }
}

const lateRequest = (): Error => new Error(`the request was not answered within ${maxResponseMs / 1_000} s`);
