import * as E from 'fp-ts/Either';
import type * as TE from 'fp-ts/TaskEither';
import { type Unavailable, unavailable } from '../../../core';
import { toError } from './database-error';

/** Whatever the database refuses is Unavailable to the core, beside the failures that a query answers with itself. */
export const attemptEither =
  <F, A>(query: () => Promise<E.Either<F, A>>): TE.TaskEither<F | Unavailable, A> =>
  async () => {
    try {
      return await query();
    } catch (error) {
      return E.left(unavailable(toError(error)));
    }
  };

/** The same for a query that answers with no failure of its own. */
export const attempt = <A>(query: () => Promise<A>): TE.TaskEither<Unavailable, A> =>
  attemptEither(async () => E.right(await query()));
