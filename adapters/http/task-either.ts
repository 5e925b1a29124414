import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';

// fp-ts's own names and meanings, in one promise each instead of three: a request passes several of them.

export const map =
  <A, B>(change: (value: A) => B) =>
  <F>(task: TaskEither<F, A>): TaskEither<F, B> =>
  async () => {
    const ended = await task();
    return E.isLeft(ended) ? ended : E.right(change(ended.right));
  };

export const flatMap =
  <A, F2, B>(next: (value: A) => TaskEither<F2, B>) =>
  <F1>(task: TaskEither<F1, A>): TaskEither<F1 | F2, B> =>
  async () => {
    const ended = await task();
    return E.isLeft(ended) ? ended : await next(ended.right)();
  };

export const flatMapEither =
  <A, F2, B>(next: (value: A) => E.Either<F2, B>) =>
  <F1>(task: TaskEither<F1, A>): TaskEither<F1 | F2, B> =>
  async () => {
    const ended = await task();
    return E.isLeft(ended) ? ended : next(ended.right);
  };
