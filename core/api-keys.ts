import * as t from 'io-ts';
import { brand, decodeOrThrow, type FromDecodeOrThrow } from './codec';
import { apiKeyRule, idempotencyKeyRule, isStorable } from './rules';

/**
 * Secret of a client: a bearer token (`b64token` of RFC 6750, section 2.1). operations.ts and
 * adapters/http/middleware.ts check it. The adapters that store keys use the other values of this file.
 */
export type ApiKey = string & FromDecodeOrThrow<'ApiKey'>;
export const ApiKey: t.Type<ApiKey, string> = brand('ApiKey', t.string, apiKeyRule);

const publicId = {
  holds: (id: string) => id.length > 0 && isStorable(id),
  expected: 'a string that is not empty, without U+0000 and lone surrogates',
};

/** Public id of an API key: a string that is not empty, without U+0000 and lone surrogates. Safe to log. */
export type KeyId = string & FromDecodeOrThrow<'KeyId'>;
export const KeyId: t.Type<KeyId, string> = brand('KeyId', t.string, publicId);

/**
 * Public id of the owner of API keys, idempotency keys and quotas, with the format of a KeyId. Safe to log. An owner
 * keeps this id when an API key is replaced.
 */
export type OwnerId = string & FromDecodeOrThrow<'OwnerId'>;
export const OwnerId: t.Type<OwnerId, string> = brand('OwnerId', t.string, publicId);

/** Authenticated caller: the ids of the API key and of its owner. Both are safe to log. */
export interface Caller {
  readonly keyId: KeyId;
  readonly ownerId: OwnerId;
}

export const callerOf = (keyId: KeyId, ownerId: OwnerId = decodeOrThrow(OwnerId, keyId)): Caller => ({
  keyId,
  ownerId,
});

/** Text that identifies one create, so that a retry adds no second animal: 1 to 255 printable ASCII characters. */
export type IdempotencyKey = string & FromDecodeOrThrow<'IdempotencyKey'>;
export const IdempotencyKey: t.Type<IdempotencyKey, string> = brand(
  'IdempotencyKey',
  t.string,
  idempotencyKeyRule,
);

/** Idempotency key with its owner, because two owners may use the same key. */
export interface ScopedIdempotencyKey {
  readonly ownerId: OwnerId;
  readonly idempotencyKey: IdempotencyKey;
}

/** Joins the owner and the idempotency key into one unambiguous string, such as for the key of a Map. */
export const scopedIdempotencyKeyText = ({
  ownerId,
  idempotencyKey,
}: Readonly<Record<keyof ScopedIdempotencyKey, string>>): string => JSON.stringify([ownerId, idempotencyKey]);
