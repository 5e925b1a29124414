import { toError } from 'fp-ts/Either';
import type { MigrationFailed } from '../../adapters/knex';
import { type FieldError, fieldErrorTexts, type Unavailable } from '../../core';
import type { DatabaseAddress } from '../settings/database-address';
import { databaseAddressText } from '../settings/database-address-text';
import { databaseAdvice } from './database-advice';
import { errorCode } from './error-code';

/** Why a command can't do its work. */
export type StartFailure =
  | { readonly _tag: 'InvalidSettings'; readonly fieldErrors: ReadonlyArray<FieldError> }
  | Unavailable
  | MigrationFailed
  | { readonly _tag: 'DatabaseLost' }
  | { readonly _tag: 'NoApiKey' }
  | { readonly _tag: 'NoDatabase' }
  | { readonly _tag: 'NoFile'; readonly filename: string }
  | { readonly _tag: 'OwnTools' }
  | { readonly _tag: 'UnknownKey'; readonly id: string }
  /** `PORT` and `HOST` with this before their names are the settings that it is about. */
  | { readonly _tag: 'CannotListen'; readonly cause: unknown; readonly prefix: '' | 'ADMIN_' };

export const cannotListen =
  (prefix: '' | 'ADMIN_') =>
  (cause: unknown): StartFailure => ({ _tag: 'CannotListen', cause, prefix });

const listenAdvice = (cause: unknown, prefix: string): string => {
  switch (errorCode(cause)) {
    case 'EACCES':
      return `this user may not take that port: set ${prefix}PORT to 1024 or more`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `this machine has no such address: set ${prefix}HOST`;
    default:
      return `stop what listens there, or set ${prefix}PORT or ${prefix}HOST`;
  }
};

/** The failure in words, with what to do about it. `address` is where the animals were to be kept. */
export const startFailureText = (failure: StartFailure, address?: DatabaseAddress): string => {
  switch (failure._tag) {
    case 'InvalidSettings':
      return fieldErrorTexts(failure.fieldErrors).join('\n');
    case 'Unavailable':
      return `the database${address ? ` ${databaseAddressText(address)}` : ''} can't be used: ${toError(failure.cause).message}: ${databaseAdvice(address, failure.cause)}`;
    case 'MigrationFailed':
      return `the database${address ? ` ${databaseAddressText(address)}` : ''} can't be migrated: ${failure.cause.message}`;
    case 'DatabaseLost':
      return 'the database file was removed, replaced or cut off while it was open: nothing more can be stored in it';
    case 'NoApiKey':
      return address?._tag === 'Memory'
        ? 'there is no valid API key: set API_KEYS'
        : 'there is no valid API key: set API_KEYS, or make one in the database with `animal-store keys create --name NAME`';
    case 'NoDatabase':
      return 'memory: is no database: set DATABASE_URL to sqlite:FILE or postgres://...';
    case 'NoFile':
      return `there is no file ${failure.filename}: set DATABASE_URL to the database`;
    case 'OwnTools': {
      const url = address ? databaseAddressText(address) : 'postgres://...';
      return `PostgreSQL has tools of its own: pg_dump --format=custom --file=FILE '${url}' makes a backup while the service runs, and pg_restore --clean --if-exists --single-transaction --dbname='${url}' FILE takes it back while it does not`;
    }
    case 'UnknownKey':
      return `no key has the id ${failure.id}: \`animal-store keys list\` shows them`;
    case 'CannotListen':
      return `can't listen: ${toError(failure.cause).message}: ${listenAdvice(failure.cause, failure.prefix)}`;
  }
};
