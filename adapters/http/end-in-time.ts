import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import { unavailable } from '../../core';
import type { HttpFailure } from './errors';
import { maxResponseMs, type RequestRecord } from './request-record';

/**
 * Runs a task, and resolves to its outcome. Fails with Unavailable at the deadline, and with a Defect if the task
 * rejects. The deadline may change while the task runs. A late task continues, but its outcome is ignored.
 */
export const endInTime = <A>(
  task: TaskEither<HttpFailure, A>,
  record: RequestRecord,
): Promise<E.Either<HttpFailure, A>> =>
  new Promise((resolve) => {
    const check = (): void => {
      const leftMs = record.deadline - performance.now();
      if (leftMs > 0) timer = setTimeout(check, Math.min(leftMs, maxResponseMs));
      else {
        const cause = new Error(`the request was not answered within ${maxResponseMs / 1_000} s`);
        resolve(E.left(unavailable(cause)));
      }
    };
    let timer = setTimeout(check, maxResponseMs);
    const end = (outcome: E.Either<HttpFailure, A>): void => {
      clearTimeout(timer);
      resolve(outcome);
    };
    task().then(end, (cause: unknown) => {
      end(E.left({ _tag: 'Defect', cause }));
    });
  });
