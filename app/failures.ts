import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import type { ApiKeyNotFound, ApiKeyRevoked, NotInitialized } from '../adapters/knex';
import type { InvalidPetChanges, PetNotFound, Unavailable } from '../core';

/** Failure that a command expects, and prints in one line with advice. */
export type CommandFailure =
  | Unavailable
  | { readonly _tag: 'DatabaseLost' }
  | { readonly _tag: 'NoApiKey' }
  | { readonly _tag: 'NoDatabase' }
  | NotInitialized
  | PetNotFound
  | InvalidPetChanges
  | { readonly _tag: 'DriverMissing'; readonly driver: string; readonly reason: string }
  | ApiKeyNotFound
  | ApiKeyRevoked
  | { readonly _tag: 'CannotListen'; readonly cause: unknown; readonly prefix: '' | 'ADMIN_' };

export class CommandFailed extends Error {
  readonly failure: CommandFailure;

  constructor(failure: CommandFailure) {
    super(failure._tag);
    this.failure = failure;
  }
}

export const orFail = async <A>(operation: TaskEither<CommandFailure, A>): Promise<A> => {
  const result = await operation();
  if (E.isLeft(result)) throw new CommandFailed(result.left);
  return result.right;
};
