import type * as t from 'io-ts';
import type { OwnerId } from './api-keys';
import { type Brand, brandedText } from './codec';
import { type IdempotencyKeyReused, idempotencyKeyReused, type PetDeleted, petDeleted } from './failures';
import { type NewPet, newPetFieldNames, type Pet } from './pets';
import { idempotencyKeyPattern } from './rules';

/** Text of 1 to 255 printable ASCII characters. It identifies one create, so that a retry adds no second animal. */
export type IdempotencyKey = string & Brand<'IdempotencyKey'>;
export const IdempotencyKey: t.Type<IdempotencyKey, string> = brandedText(
  'IdempotencyKey',
  idempotencyKeyPattern,
);

/** Idempotency key and the owner to whom it belongs. Two owners may use the same key. */
export interface ScopedIdempotencyKey {
  readonly ownerId: OwnerId;
  readonly idempotencyKey: IdempotencyKey;
}

/** Joins the owner and the idempotency key into one unambiguous string, such as for the key of a Map. */
export const scopedIdempotencyKeyText = ({
  ownerId,
  idempotencyKey,
}: Readonly<Record<keyof ScopedIdempotencyKey, string>>): string => JSON.stringify([ownerId, idempotencyKey]);

/**
 * Writes the fields of a new animal as one text. Only equal animals have equal texts. A repository stores this text, or
 * a hash of it, with the idempotency key. The stored animal can't be compared instead, because it may change.
 */
export const fingerprintOf = (newPet: NewPet): string =>
  JSON.stringify(
    newPetFieldNames.flatMap((name) => (newPet[name] === undefined ? [] : [name, String(newPet[name])])),
  );

/** Default lifetime of an idempotency key: 24 hours. */
export const idempotencyTtlMs = 24 * 60 * 60 * 1000;

/** Stored record of an idempotency key. `fingerprint` is the result of `fingerprintOf`, or its hash. */
export interface IdempotencyRecord {
  readonly fingerprint: string;
  /** Animal that the create added, with its current values. Undefined if the animal was deleted. */
  readonly pet: Pet | undefined;
}

type IdempotentCreate =
  | { readonly _tag: 'Create' }
  | { readonly _tag: 'Replay'; readonly pet: Pet }
  | IdempotencyKeyReused
  | PetDeleted;

/**
 * Decides the outcome of a create with an idempotency key. Returns Create if `record` is undefined, Replay if the
 * fingerprints are equal and the animal still exists, and otherwise a failure. Pass undefined for an expired record.
 */
export const resolveIdempotentCreate = (
  record: IdempotencyRecord | undefined,
  fingerprint: string,
): IdempotentCreate => {
  if (record === undefined) return { _tag: 'Create' };
  if (record.fingerprint !== fingerprint) return idempotencyKeyReused;
  return record.pet === undefined ? petDeleted : { _tag: 'Replay', pet: record.pet };
};
