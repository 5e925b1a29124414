import * as E from 'fp-ts/Either';
import { flow } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { type Unavailable, unavailable } from '../../core';
import { toError } from './database-error';

/** Whatever the database refuses is Unavailable to the core. */
export const attempt = <A>(query: () => Promise<A>): TE.TaskEither<Unavailable, A> =>
  TE.tryCatch(query, flow(toError, unavailable));

/** The same for a query whose answer may itself be a failure. */
export const attemptEither =
  <F, A>(query: () => Promise<E.Either<F, A>>): TE.TaskEither<F | Unavailable, A> =>
  async () => {
    try {
      return await query();
    } catch (error) {
      return E.left(unavailable(toError(error)));
    }
  };
