import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import { maxTimerMs } from './timeouts';

/** Time by `performance.now()` after which the caller no longer waits for the answer. */
export type Deadline = number;

/**
 * The store cannot answer now, but may later. A write may still have been done: retry it with its idempotency key. The
 * cause is for the log only.
 */
export interface Unavailable {
  readonly _tag: 'Unavailable';
  readonly cause: Error;
}
/** Creates an Unavailable. Wraps a cause that is not an Error in an Error with the cause as its message. */
export const unavailable = (cause: unknown): Unavailable => ({
  _tag: 'Unavailable',
  cause: E.toError(cause),
});

const deadlineOver = (): E.Either<Unavailable, never> =>
  E.left(unavailable(new Error('the deadline has passed')));

/** Ends a call at its deadline as Unavailable. The call itself may continue, and its result is then ignored. */
export const endAtDeadline =
  <F, A>(call: TaskEither<F, A>, deadline: Deadline | undefined): TaskEither<F | Unavailable, A> =>
  () => {
    if (deadline === undefined) return call();
    const remainingMs = deadline - performance.now();
    if (remainingMs <= 0) return Promise.resolve(deadlineOver());
    // A timer of over 24.8 days would fire at once, and no call takes as long.
    if (remainingMs > maxTimerMs) return call();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        resolve(deadlineOver());
      }, remainingMs);
      const settleBy =
        <B>(settle: (outcome: B) => void) =>
        (outcome: B): void => {
          clearTimeout(timer);
          settle(outcome);
        };
      call().then(settleBy(resolve), settleBy(reject));
    });
  };
