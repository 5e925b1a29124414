import * as E from 'fp-ts/Either';
import { constVoid } from 'fp-ts/function';
import { type Deadline, unavailable } from '../../../core';
import type { Outcome } from './reply';

/** Maximum time to answer a request, from its start. The time for which it waits for its body is not counted. */
export const maxResponseMs = 4_000;

export class RequestDeadline {
  private endsAt: number;
  /** Sets the timer again, if it went off while the handler waited for the body. */
  private onArrival: () => void = constVoid;

  /** `startedAt` is the start of the request by `performance.now()`. */
  constructor(startedAt: number) {
    this.endsAt = startedAt + maxResponseMs;
  }

  /** Time by which the reply must be made. Infinity while the handler waits for the body. */
  get time(): Deadline {
    return this.endsAt;
  }

  /**
   * Resolves to the outcome of a handler. Fails with Unavailable at the deadline, and with a Defect if the handler
   * rejects. A late handler continues, but its outcome is ignored.
   */
  endInTime(handled: Promise<Outcome>): Promise<Outcome> {
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const end = (outcome: Outcome): void => {
        clearTimeout(timer);
        this.onArrival = constVoid;
        resolve(outcome);
      };
      const check = (): void => {
        timer = undefined;
        const leftMs = this.endsAt - performance.now();
        if (leftMs <= 0) {
          const cause = new Error(`the request was not answered within ${maxResponseMs / 1_000} s`);
          end(E.left(unavailable(cause)));
        } else if (leftMs < Infinity) timer = setTimeout(check, leftMs);
      };
      timer = setTimeout(check, maxResponseMs);
      this.onArrival = () => {
        if (timer === undefined) check();
      };
      handled.then(end, (cause: unknown) => {
        end(E.left({ _tag: 'Defect', cause }));
      });
    });
  }

  /**
   * Waits for a body, and moves the deadline by the duration of the wait. The HTTP server or the framework limits the
   * wait.
   */
  async pauseUntil<A>(arrival: Promise<A>): Promise<A> {
    const { endsAt } = this;
    const began = performance.now();
    this.endsAt = Infinity;
    const body = await arrival;
    this.endsAt = endsAt + performance.now() - began;
    this.onArrival();
    return body;
  }
}
