/* Failures of the ports and of the operations of the core. */

import * as E from 'fp-ts/Either';
import type { Caller, KeyId } from './api-keys';
import type { Quota } from './quota';
import type { InvalidField } from './validation';

/**
 * Failure of any call: the store can't answer now, but may later. A create that fails this way may still have added its
 * animal, so retry it with the same idempotency key. A port also fails this way for arguments that its types exclude.
 * `cause` is for the log, not for clients.
 */
export interface Unavailable {
  readonly _tag: 'Unavailable';
  readonly cause: Error;
}
/** Makes an Unavailable. A cause that is not an Error is converted to one. */
export const unavailable = (cause: unknown): Unavailable => ({
  _tag: 'Unavailable',
  cause: E.toError(cause),
});

/**
 * Failure of an authentication: the API key is not valid. `reason` and `keyId` are for the log, not for the client. The
 * reason is `malformed` if the text can't be an API key, and `unknown` if it matches no key. `keyId` is the id of the
 * key, if known. With the reason `unknown`, `keyId` is part of the key's text, which the client may have invented.
 */
export interface InvalidApiKey {
  readonly _tag: 'InvalidApiKey';
  readonly reason: 'malformed' | 'unknown' | 'expired' | 'revoked';
  readonly keyId?: KeyId;
}
/** Makes the failure of `Authenticate` for a key that it rejects. */
export const invalidApiKey = (reason: InvalidApiKey['reason'], keyId?: KeyId): InvalidApiKey =>
  keyId === undefined ? { _tag: 'InvalidApiKey', reason } : { _tag: 'InvalidApiKey', reason, keyId };

/** Failure of opening the store: the owner of the API key has used up the quota. */
export interface QuotaExceeded {
  readonly _tag: 'QuotaExceeded';
  readonly caller: Caller;
  readonly quota: Quota;
}

/** Failure of a list: the query has fields with invalid values. */
export interface InvalidQuery {
  readonly _tag: 'InvalidQuery';
  readonly fields: ReadonlyArray<InvalidField>;
}

/** Failure of a read or change by id: no animal has this id. */
export interface PetNotFound {
  readonly _tag: 'PetNotFound';
  readonly id: bigint;
}

/** Makes the failure of `find` or `update` if no animal has this id. */
export const petNotFound = (id: bigint): PetNotFound => ({ _tag: 'PetNotFound', id });

/** Failure of a create: the API key may only read. */
export interface ReadOnlyApiKey {
  readonly _tag: 'ReadOnlyApiKey';
}

/** Failure of a create: the animal lacks fields, or has fields with invalid values. */
export interface InvalidNewPet {
  readonly _tag: 'InvalidNewPet';
  readonly fields: ReadonlyArray<InvalidField>;
}

/** Failure of a create: the idempotency key is not 1 to 255 printable ASCII characters. */
export interface InvalidIdempotencyKey {
  readonly _tag: 'InvalidIdempotencyKey';
}

/** Failure of a create: the owner of the API key has already used this idempotency key for a different animal. */
export interface IdempotencyKeyReused {
  readonly _tag: 'IdempotencyKeyReused';
}
export const idempotencyKeyReused: IdempotencyKeyReused = { _tag: 'IdempotencyKeyReused' };

/** Failure of a create: the animal that an earlier create with this idempotency key added was deleted. */
export interface PetDeleted {
  readonly _tag: 'PetDeleted';
}
export const petDeleted: PetDeleted = { _tag: 'PetDeleted' };

/** Failure of a create: the first create with this idempotency key is still in progress. */
export interface IdempotencyKeyInFlight {
  readonly _tag: 'IdempotencyKeyInFlight';
}
export const idempotencyKeyInFlight: IdempotencyKeyInFlight = { _tag: 'IdempotencyKeyInFlight' };

/** Failure of opening the store, or of one of its operations. */
export type StoreFailure =
  | Unavailable
  | InvalidApiKey
  | QuotaExceeded
  | InvalidQuery
  | PetNotFound
  | ReadOnlyApiKey
  | InvalidNewPet
  | InvalidIdempotencyKey
  | IdempotencyKeyReused
  | PetDeleted
  | IdempotencyKeyInFlight;

/** Failure of an update: the changes have fields with invalid values. */
export interface InvalidPetChanges {
  readonly _tag: 'InvalidPetChanges';
  readonly fields: ReadonlyArray<InvalidField>;
}

/** Failure of `importAll` before its commit: the source, `onIds` or the store failed. Nothing is stored. */
export interface ImportAborted {
  readonly _tag: 'ImportAborted';
  readonly cause: unknown;
}

/** Makes the failure of an `importAll` that has stored nothing. */
export const importAborted = (cause: unknown): ImportAborted => ({ _tag: 'ImportAborted', cause });
