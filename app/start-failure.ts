import { type FieldFault, faultTexts, type Unavailable } from '../core';
import { errorText } from './error-text';

/** Why a command can't do its work. */
export type StartFailure =
  | { readonly _tag: 'InvalidSettings'; readonly faults: ReadonlyArray<FieldFault> }
  | { readonly _tag: 'DatabaseFailed'; readonly cause: unknown }
  | { readonly _tag: 'DatabaseLost' }
  | { readonly _tag: 'NoApiKey' }
  | { readonly _tag: 'NoDatabase' }
  | { readonly _tag: 'UnknownKey'; readonly id: string }
  | { readonly _tag: 'CannotListen'; readonly cause: unknown };

export const databaseFailed = ({ cause }: Unavailable): StartFailure => ({ _tag: 'DatabaseFailed', cause });

export const cannotListen = (cause: unknown): StartFailure => ({ _tag: 'CannotListen', cause });

/** The failure in words, with what to do about it. */
export const startFailureText = (failure: StartFailure): string => {
  switch (failure._tag) {
    case 'InvalidSettings':
      return faultTexts(failure.faults).join('\n');
    case 'DatabaseFailed':
      return `the database can't be used: ${errorText(failure.cause)}`;
    case 'DatabaseLost':
      return 'the database file was removed, replaced or cut off while it was open: nothing more can be stored in it';
    case 'NoApiKey':
      return 'there is no API key: set API_KEYS, or make one in the database with `animal-store keys create --name NAME`';
    case 'NoDatabase':
      return 'memory: is no database: set DATABASE_URL to sqlite:FILE or postgres://...';
    case 'UnknownKey':
      return `no key has the id ${failure.id}: \`animal-store keys list\` shows them`;
    case 'CannotListen':
      return `can't listen: ${errorText(failure.cause)}`;
  }
};
