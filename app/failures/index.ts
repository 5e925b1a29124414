/* Failures that commands expect, and their texts, which say what is wrong and what to do. */

import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import { exceptionCode } from '../../adapters/failures/exception-code';
import { withoutPartialEnding } from '../../adapters/files/partial';
import {
  type ApiKeyNotFound,
  type ApiKeyRevoked,
  DatabaseError,
  DiagnosedError,
  type NotInitialized,
} from '../../adapters/knex';
import {
  invalidFieldTexts,
  type InvalidPetChanges,
  type PetNotFound,
  type Unavailable,
  unavailable,
} from '../../core';
import { type DatabaseUrl, databaseUrlText } from '../settings/database-url';
import type { ServerPrefix } from '../settings/settings';
import { generalAdvice, specificAdvice } from './advice';
import { currentUser } from './user';

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

/**
 * Returns the text of a failure of a command that works on the database of `url`. Other errors, such as those of files
 * and of programs that a command runs, keep their messages and may get advice. `setting` is the setting or option that
 * has the address.
 */
export const reasonOf = (error: unknown, url: DatabaseUrl, setting = 'DATABASE_URL'): string => {
  if (error instanceof CommandFailed) return failureText(error.failure, url, setting);
  const message = messageOf(error);
  if (exceptionCode(error) === 'EACCES')
    return `${message}; this command runs as ${currentUser()}, who may not use the file`;
  const isOfDatabase = error instanceof DatabaseError;
  return withAdvice(message, isOfDatabase ? specificAdvice(url, error, setting) : undefined);
};

const failureText = (failure: CommandFailure, url: DatabaseUrl, setting: string): string => {
  const database = databaseUrlText(url);
  switch (failure._tag) {
    case 'Unavailable': {
      const reason = `the database ${database} can't be used: ${messageOf(failure.cause)}`;
      const isDiagnosed = failure.cause instanceof DiagnosedError;
      const text = withAdvice(
        reason,
        specificAdvice(url, failure.cause, setting) ??
          (isDiagnosed ? undefined : generalAdvice(url, setting)),
      );
      return withAdvice(text, failure.mayHaveChanged && 'a change may have been made');
    }
    case 'DatabaseLost':
      return 'the database file or its log was removed or replaced while it was open; restart the service to use the file that is there now';
    case 'NoApiKey':
      return url._tag === 'Memory'
        ? 'there is no valid API key; set API_KEYS'
        : 'there is no valid API key; set API_KEYS, or create a key with `animal-store keys create --name NAME`';
    case 'NoDatabase':
      return `this command needs a database, but ${setting} is \`memory:\`; set it to sqlite:FILE or postgres://...`;
    case 'NotInitialized':
      return `there is no animal store in ${database}; set ${setting} to the right database, or create one with \`animal-store migrate\``;
    case 'DriverMissing':
      return `the database driver ${failure.driver} can't be loaded: ${failure.reason}; run \`npm rebuild ${failure.driver}\`, or \`npm install ${failure.driver}\` if it is not installed${failure.driver === 'sqlite3' ? '; without the C++ compiler that this may need, choose memory: or postgres://... as the database' : ''}`;
    case 'PetNotFound':
      return `no animal has the id ${failure.id}`;
    case 'InvalidPetChanges':
      return invalidFieldTexts(failure.fields).join('; ');
    case 'NoRecord':
      return `there is no record of ${failure.subject}`;
    case 'ApiKeyNotFound':
      return `no key has the id ${failure.id}; \`animal-store keys list\` shows the ids`;
    case 'ApiKeyRevoked':
      return `key ${failure.id} is revoked; create a new one with \`animal-store keys create --name NAME\``;
    case 'CannotListen':
      return `can't listen: ${listenReason(failure.cause)}; ${listenAdvice(failure.cause, failure.prefix)}`;
  }
};

const withAdvice = (reason: string, advice: string | undefined): string =>
  advice === undefined ? reason : `${reason}; ${advice}`;

const listenReason = (cause: unknown): string =>
  messageOf(cause)
    .replace(/^listen /, '')
    .replace(/^EADDRINUSE: address already in use (.*)$/, '$1 is in use');

const listenAdvice = (cause: unknown, prefix: ServerPrefix): string => {
  switch (exceptionCode(cause)) {
    case 'EACCES':
      return `this user may not use that port; set ${prefix}PORT to 1024 or more`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `this machine does not have that address; set ${prefix}HOST`;
    default:
      return `stop the process that listens there, or set ${prefix}PORT or ${prefix}HOST`;
  }
};

/**
 * Returns the message of an error. For an error of a file, returns the name of the file and what is wrong, without
 * Node's jargon.
 */
export const messageOf = (cause: unknown): string => {
  const message = E.toError(cause).message.replaceAll(/\s+/g, ' ').trim();
  const [, reason, file] = /^E[A-Z]+: ([^,]+), \w+(?:.* '(.*)')?$/.exec(message) ?? [];
  if (reason === undefined) return message;
  return file === undefined ? reason : `${withoutPartialEnding(file)}: ${reason}`;
};
