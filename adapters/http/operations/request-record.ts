import * as E from 'fp-ts/Either';
import { constVoid } from 'fp-ts/function';
import { type AnimalStore, type Deadline, unavailable } from '../../../core';
import { requestLimits } from '../message/limits';
import type { HttpFailure } from '../message/failures';
import type { Outcome } from './reply';

/**
 * Record of one request, from its start to its outcome. Properties stay undefined if the client disconnects before
 * their values are known.
 */
export class RequestRecord {
  readonly id: string;
  /** Start of the request by `performance.now()`, before any hold by `RequestQueue`. */
  readonly startedAt: number;
  readonly deadline: RequestDeadline;
  /** Path of the route, such as `/v1/pets/:petId`. */
  route: string | undefined;
  /** Caller of the API key, and the state of the owner's rate limit. */
  identity: Pick<AnimalStore, 'caller' | 'quota'> | undefined;
  /** Id of the animal that a create has added, or returned again to a retry. */
  petId: bigint | undefined;
  outcome: Outcome | undefined;
  /** Failure that the HTTP server itself has answered, because the body is malformed or late. */
  serverRejection: HttpFailure | undefined;

  /** `sentId` is the value of the header `X-Request-Id`, if any. `RequestQueue` held the request for `heldMs`. */
  constructor(sentId: unknown, heldMs = 0) {
    this.id = requestIdOf(sentId);
    this.startedAt = performance.now() - heldMs;
    this.deadline = new RequestDeadline(this.startedAt, heldMs);
  }

  /** Calls `report` with the cause of a 500 or 503. The cause may be any value, even undefined. */
  reportCause(report: (cause: unknown) => void): void {
    const { outcome } = this;
    if (outcome?._tag === 'Left' && 'cause' in outcome.left) report(outcome.left.cause);
  }
}

const wellFormed = /^[\w.:~+/=-]{1,128}$/;

/** Returns the `X-Request-Id` of a request if it is well-formed, otherwise a new UUID. */
export const requestIdOf = (sent: unknown): string =>
  typeof sent === 'string' && wellFormed.test(sent) ? sent : crypto.randomUUID();

export class RequestDeadline {
  private endsAt: number;
  /**
   * `Counting`, or one of the two others while the service waits for the body. `Paused` does not stop the timer,
   * because most bodies arrive before it goes off. In `PausedWithoutTimer`, it has gone off.
   */
  private state: 'Counting' | 'Paused' | 'PausedWithoutTimer' = 'Counting';
  private timer: NodeJS.Timeout | undefined;
  private end: (outcome: Outcome) => void = constVoid;
  /** Time from `endInTime` until the timer first checks whether the request is late. */
  private readonly firstCheckMs: number;

  constructor(startedAt: number, heldMs = 0) {
    this.endsAt = startedAt + requestLimits.responseMs;
    this.firstCheckMs = requestLimits.responseMs - heldMs;
  }

  /** Time by which the reply must be made. `pauseUntil` moves it. */
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
      this.timer = setTimeout(this.check, this.firstCheckMs);
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

const lateRequest = (): Error =>
  new Error(`the request was not answered within ${requestLimits.responseMs / 1_000} s`);
