import * as E from 'fp-ts/Either';
import type * as t from 'io-ts';
import { type Brand, brandedText, decodeOrThrow } from './codec';
import { apiKeyRule, isStorable } from './rules';

/** Secret of a client: a bearer token (`b64token` of RFC 6750, section 2.1). */
export type ApiKey = string & Brand<'ApiKey'>;
export const ApiKey: t.Type<ApiKey, string> = brandedText('ApiKey', apiKeyRule);

const publicId = {
  holds: (id: string) => id.length > 0 && isStorable(id),
  expected: 'a string that is not empty, without U+0000 and lone surrogates',
};

/** Public id of an API key: a string that is not empty, without U+0000 and lone surrogates. Safe to log. */
export type KeyId = string & Brand<'KeyId'>;
export const KeyId: t.Type<KeyId, string> = brandedText('KeyId', publicId);

/**
 * Public id of the owner of API keys, idempotency keys and quotas, with the format of a KeyId. Safe to log. An owner
 * keeps this id when an API key is replaced.
 */
export type OwnerId = string & Brand<'OwnerId'>;
export const OwnerId: t.Type<OwnerId, string> = brandedText('OwnerId', publicId);

/** Authenticated caller: the ids of the API key and of its owner. Both are safe to log. */
export interface Caller {
  readonly keyId: KeyId;
  readonly ownerId: OwnerId;
  /** True if the API key may only read. */
  readonly isReadOnly?: true;
}

/** Makes a caller. A key without an owner is its own owner. */
export const callerOf = (
  keyId: KeyId,
  ownerId: OwnerId = decodeOrThrow(OwnerId, keyId),
  { isReadOnly = false } = {},
): Caller => (isReadOnly ? { keyId, ownerId, isReadOnly: true } : { keyId, ownerId });

/** Times that decide whether an API key is valid, in milliseconds since 1970 by the same clock as `now`. */
export interface ApiKeyTimes {
  readonly createdAt: number;
  /** Null if the key was not revoked. */
  readonly revokedAt: number | null;
  /** Null if the key does not expire. */
  readonly expiresAt: number | null;
  /** Lifetime with which the key was created, or null. By default, a successor gets the same lifetime. */
  readonly lifetimeMs: number | null;
}

type Validity = Pick<ApiKeyTimes, 'revokedAt' | 'expiresAt'>;

/** Returns why a key is rejected, or undefined if it is valid. An expiry that is not a number counts as past. */
export const rejectionOf = (
  { revokedAt, expiresAt }: Validity,
  now: number,
): 'revoked' | 'expired' | undefined => {
  if (revokedAt !== null) return 'revoked';
  return expiresAt === null || now < expiresAt ? undefined : 'expired';
};

const unusedAfterMs = 30 * 86_400_000;

/** Reports whether a key was not used for 30 days. A key that was never used counts from its creation. */
export const isUnused = (usedOrCreatedAt: number, now: number): boolean =>
  now - usedOrCreatedAt >= unusedAfterMs;

export const timesOfNewKey = (lifetimeMs: number | null, now: number): ApiKeyTimes => ({
  createdAt: now,
  revokedAt: null,
  expiresAt: lifetimeMs === null ? null : now + lifetimeMs,
  lifetimeMs,
});

/** Options of a rotation: how long the old key stays valid, and the lifetime of the new key. */
export interface Rotation {
  readonly graceMs: number;
  readonly lifetimeMs?: number | undefined;
}

/**
 * Replaces a key. The old key stays valid for the grace period, unless it expires earlier. By default, the new key has
 * the lifetime of the old one. A revoked key can't be replaced.
 */
export const rotateKey = (
  key: ApiKeyTimes,
  { graceMs, lifetimeMs = key.lifetimeMs ?? undefined }: Rotation,
  now: number,
): E.Either<'revoked', { readonly oldExpiresAt: number; readonly newTimes: ApiKeyTimes }> =>
  key.revokedAt === null
    ? E.right({
        oldExpiresAt: Math.min(key.expiresAt ?? Infinity, now + graceMs),
        newTimes: timesOfNewKey(lifetimeMs ?? null, now),
      })
    : E.left('revoked');
