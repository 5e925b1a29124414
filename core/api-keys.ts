import * as E from 'fp-ts/Either';
import type * as t from 'io-ts';
import { type Brand, brandedText, decodeOrThrow } from './codec';
import { apiKeyPattern, publicIdPattern } from './rules';

/** Secret of a client: a bearer token (`b64token` of RFC 6750, section 2.1). */
export type ApiKey = string & Brand<'ApiKey'>;
export const ApiKey: t.Type<ApiKey, string> = brandedText('ApiKey', apiKeyPattern);

/** Public id of an API key: a non-empty string without U+0000 and lone surrogates. Safe to log. */
export type KeyId = string & Brand<'KeyId'>;
export const KeyId: t.Type<KeyId, string> = brandedText('KeyId', publicIdPattern);

/**
 * Public id of an owner, to whom API keys, idempotency keys and a quota belong. The id has the format of a KeyId, and
 * is safe to log. It stays the same when an API key of the owner is replaced.
 */
export type OwnerId = string & Brand<'OwnerId'>;
export const OwnerId: t.Type<OwnerId, string> = brandedText('OwnerId', publicIdPattern);

/** Authenticated caller: the ids of its API key and of the owner of this key. Both are safe to log. */
export interface Caller {
  readonly keyId: KeyId;
  readonly ownerId: OwnerId;
  /** True if the API key may only read. Missing if it may also add animals. */
  readonly isReadOnly?: true;
}

/** Makes a caller. By default, the owner has the same id as the key. */
export const callerOf = (
  keyId: KeyId,
  ownerId: OwnerId = decodeOrThrow(OwnerId, keyId),
  { isReadOnly = false } = {},
): Caller => (isReadOnly ? { keyId, ownerId, isReadOnly: true } : { keyId, ownerId });

/**
 * Lifetime of an API key, and its times in milliseconds since 1970. Any `now` that is compared with these times must
 * come from the clock that set them.
 */
export interface ApiKeyTimes {
  readonly createdAt: number;
  /** Null if the key was not revoked. */
  readonly revokedAt: number | null;
  /** Null if the key does not expire. */
  readonly expiresAt: number | null;
  /** Lifetime given at creation, or null for no limit. By default, a rotation gives the new key the same lifetime. */
  readonly lifetimeMs: number | null;
}

/** Returns why a key is rejected, or undefined if it is valid. A key whose `expiresAt` is NaN counts as expired. */
export const rejectionOf = (
  { revokedAt, expiresAt }: Pick<ApiKeyTimes, 'revokedAt' | 'expiresAt'>,
  now: number,
): 'revoked' | 'expired' | undefined => {
  if (revokedAt !== null) return 'revoked';
  return expiresAt === null || now < expiresAt ? undefined : 'expired';
};

const unusedAfterMs = 30 * 86_400_000;

/** Reports whether the last use of a key, or its creation if it was never used, is at least 30 days ago. */
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
 * Returns when the old key of a rotation expires, and the times of the new key. The old key expires after `graceMs`, or
 * at its own expiry if that is earlier. By default, the new key has the old key's lifetime. Fails if the old key is
 * revoked.
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
