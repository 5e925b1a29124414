import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import { type Deadline, type Unavailable, unavailable } from '../../../core';

/** Maximum delay of `setTimeout`, 24.8 days. A timer with a longer delay would fire at once. */
const maxTimerMs = 2 ** 31 - 1;

const deadlineOver = (): E.Either<Unavailable, never> =>
  E.left(unavailable(new Error('the database did not answer before the deadline of the call')));

/**
 * Makes a call fail with Unavailable at its deadline. The call itself goes on, but its result is ignored. If the call
 * throws, the promise rejects.
 */
export const endAtDeadline =
  <F, A>(call: TaskEither<F, A>, deadline: Deadline): TaskEither<F | Unavailable, A> =>
  () =>
    new Promise((resolve, reject) => {
      const remainingMs = deadline - performance.now();
      if (remainingMs <= 0) {
        resolve(deadlineOver());
        return;
      }
      const answered = call();
      if (remainingMs > maxTimerMs) {
        resolve(answered);
        return;
      }
      const timer = setTimeout(() => {
        resolve(deadlineOver());
      }, remainingMs);
      answered.then(
        (answer) => {
          clearTimeout(timer);
          resolve(answer);
        },
        (error: unknown) => {
          clearTimeout(timer);
          reject(E.toError(error));
        },
      );
    });
