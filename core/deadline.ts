import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import { maxTimerMs } from './timeouts';

/** Time by `performance.now()` after which a caller no longer waits for the result of a call. */
export type Deadline = number;

/**
 * The store cannot answer now, but may later. A write may still have been done: retry it with its idempotency key.
 * `cause` is for the log, not for clients.
 */
export interface Unavailable {
  readonly _tag: 'Unavailable';
  readonly cause: Error;
}
/** Makes an Unavailable. A cause that is not an Error is converted to one. */
export const unavailable = (cause: unknown): Unavailable => ({
  _tag: 'Unavailable',
  cause: E.toError(cause),
});

const deadlineOver = (): E.Either<Unavailable, never> =>
  E.left(unavailable(new Error('the deadline has passed')));

/** Makes a call fail with Unavailable at its deadline. The call is not cancelled, and its later result is ignored. */
export const endAtDeadline =
  <F, A>(call: TaskEither<F, A>, deadline: Deadline | undefined): TaskEither<F | Unavailable, A> =>
  () => {
    if (deadline === undefined) return call();
    const remainingMs = deadline - performance.now();
    if (remainingMs <= 0) return Promise.resolve(deadlineOver());
    if (remainingMs > maxTimerMs) return call();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        resolve(deadlineOver());
      }, remainingMs);
      const stopTimer = (): void => {
        clearTimeout(timer);
      };
      const answered = call();
      answered.then(resolve, reject);
      answered.then(stopTimer, stopTimer);
    });
  };
