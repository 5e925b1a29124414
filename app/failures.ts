/* Failures that commands expect. `store/failure-text.ts` has their texts. */

import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import {
  type ApiKeyNotFound,
  type ApiKeyRevoked,
  DiagnosedError,
  type NotInitialized,
} from '../adapters/knex';
import { type InvalidPetChanges, type PetNotFound, type Unavailable, unavailable } from '../core';
import type { ServerPrefix } from './settings/settings';

/** Failure to listen on the address in the settings that begin with `prefix`. */
export interface CannotListen {
  readonly _tag: 'CannotListen';
  readonly cause: unknown;
  readonly prefix: ServerPrefix;
}

export type CommandFailure =
  /** `mayHaveChanged` is true if the change of a failed command may have been committed. */
  | (Unavailable & { readonly mayHaveChanged?: true })
  | { readonly _tag: 'DatabaseLost' }
  | { readonly _tag: 'NoApiKey' }
  | { readonly _tag: 'NoDatabase' }
  | NotInitialized
  | PetNotFound
  | InvalidPetChanges
  | { readonly _tag: 'NoRecord'; readonly subject: string }
  | { readonly _tag: 'DriverMissing'; readonly driver: string; readonly reason: string }
  | ApiKeyNotFound
  | ApiKeyRevoked
  | CannotListen;

/** Failure that a command expects, and prints in one line. */
export class CommandFailed extends Error {
  readonly failure: CommandFailure;

  constructor(failure: CommandFailure) {
    super(failure._tag);
    this.failure = failure;
  }
}

export const notInitialized = (): CommandFailed => new CommandFailed({ _tag: 'NotInitialized' });

export const unusable = (reason: string): CommandFailed =>
  new CommandFailed(unavailable(new DiagnosedError(reason)));

export const orFail = async <A>(operation: TaskEither<CommandFailure, A>): Promise<A> => {
  const result = await operation();
  if (E.isLeft(result)) throw new CommandFailed(result.left);
  return result.right;
};
