import * as E from 'fp-ts/Either';
import { constVoid } from 'fp-ts/function';
import { type Caller, type Deadline, type Quota, unavailable } from '../../core';
import type { HttpFailure } from './errors';
import type { Reply } from './reply';

/** Maximum time to answer a request, from its start. The time for which it waits for its body is not counted. */
export const maxResponseMs = 4_000;

/** Record of one request, from its start to its outcome. */
export class RequestRecord {
  readonly id: string;
  readonly startedAt = performance.now();
  /** Path of the route, such as `/v1/pets/:petId`. */
  route: string | undefined;
  caller: Caller | undefined;
  quota: Quota | undefined;
  /** Id of the animal that a create has added, or returned again to a retry. */
  petId: bigint | undefined;
  outcome: E.Either<HttpFailure, Reply> | undefined;
  /** Failure that the HTTP server itself has answered, because the body is malformed or late. */
  rejection: HttpFailure | undefined;

  private endsAt = this.startedAt + maxResponseMs;
  /** Sets the timer of the deadline again, if it went off while the handler waited for the body. */
  private onArrival: () => void = constVoid;

  /** `sentId` is the value of the header `X-Request-Id`, if any. */
  constructor(sentId: unknown) {
    this.id = requestIdOf(sentId);
  }

  /** Time by which the reply must be made. Infinity while the handler waits for the body. */
  get deadline(): Deadline {
    return this.endsAt;
  }

  /** Waits for a body. The deadline moves by this time, which only the HTTP server or the framework limits. */
  async untilArrived<A>(body: Promise<A>): Promise<A> {
    const { endsAt } = this;
    const began = performance.now();
    this.endsAt = Infinity;
    const arrived = await body;
    this.endsAt = endsAt + performance.now() - began;
    this.onArrival();
    return arrived;
  }

  /**
   * Resolves to the outcome of a handler. Fails with Unavailable at the deadline, and with a Defect if the handler
   * rejects. A late handler continues, but its outcome is ignored.
   */
  endInTime(handled: Promise<E.Either<HttpFailure, Reply>>): Promise<E.Either<HttpFailure, Reply>> {
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const end = (outcome: E.Either<HttpFailure, Reply>): void => {
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

/** Request and response of Node, as a Koa context has them. */
interface Exchange {
  readonly req: { readonly headers: Readonly<Record<string, unknown>> };
  readonly res: { readonly getHeader: (name: string) => unknown };
}

const records = new WeakMap<Exchange['req'], RequestRecord>();

/** Returns the record of the request of a context. The first call makes the record. */
export const recordOf = ({ req, res }: Exchange): RequestRecord => {
  const earlier = records.get(req);
  if (earlier !== undefined) return earlier;
  // A host may have set its own id for the request.
  const record = new RequestRecord(res.getHeader('X-Request-Id') ?? req.headers['x-request-id']);
  records.set(req, record);
  return record;
};

/** Returns the record of a request that the Koa application has received, otherwise undefined. */
export const findRecord = (request: Exchange['req']): RequestRecord | undefined => records.get(request);
