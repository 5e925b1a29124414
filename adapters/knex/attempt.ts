import type { Either } from 'fp-ts/Either';
import { flow, identity, pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { type Unavailable, unavailable } from '../../core';
import { toError } from './database-error';

/** Whatever the database refuses is Unavailable to the core. */
export const attempt = <A>(query: () => Promise<A>): TE.TaskEither<Unavailable, A> =>
  TE.tryCatch(query, flow(toError, unavailable));

/** The same for a query whose answer may itself be a failure. */
export const attemptEither = <F, A>(query: () => Promise<Either<F, A>>): TE.TaskEither<F | Unavailable, A> =>
  pipe(attempt(query), TE.flatMapEither<Either<F, A>, F, A>(identity));
