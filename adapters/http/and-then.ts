import * as E from 'fp-ts/Either';
import * as TE from 'fp-ts/TaskEither';

/** `TE.fromEither` and `TE.flatMap` in one step: what is known already does not wait for three promises. */
export const andThen =
  <A, F2, B>(next: (value: A) => TE.TaskEither<F2, B>) =>
  <F1>(either: E.Either<F1, A>): TE.TaskEither<F1 | F2, B> =>
    E.isLeft(either) ? TE.left(either.left) : next(either.right);
