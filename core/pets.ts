import type * as t from 'io-ts';
import { enumeration, type FromDecodeOrThrow, int64, text } from './codec';
import { type Fields, record, type RecordCodec, type RecordOf } from './record';
import { type FieldRule, newPetRules, petRules } from './rules';

/** Identifier of an animal: an int64 that the store assigns. */
export type PetId = bigint & FromDecodeOrThrow<'PetId'>;
export const PetId: t.Type<PetId, bigint> = int64('PetId');

/** Identifier of the category of an animal: an int64. The store has no other data about categories. */
export type CategoryId = bigint & FromDecodeOrThrow<'CategoryId'>;
export const CategoryId: t.Type<CategoryId, bigint> = int64('CategoryId');

/**
 * Name of an animal: at most 1,000 characters (Unicode code points), possibly empty, without U+0000 and lone
 * surrogates. With this limit, a page of 100 animals has at most 400 kB of names.
 */
export type PetName = string & FromDecodeOrThrow<'PetName'>;
export const PetName: t.Type<PetName, string> = text('PetName', newPetRules.name.maxLength);

export type PetStatus = (typeof newPetRules.status.values)[number];
export const PetStatus: t.Type<PetStatus, string> = enumeration('PetStatus', newPetRules.status.values);

/**
 * Description of a field of an animal. It defines the field's JSON (adapters/json), database column (adapters/knex),
 * OpenAPI schema (adapters/http/openapi) and CSV column (app/transfer).
 */
export type PetField = Fields[string] &
  FieldRule & {
    readonly description: string;
    readonly example: string | bigint;
  };

export const newPetFields = {
  name: {
    ...newPetRules.name,
    codec: PetName,
    description:
      "The animal's name: any text of at most 1,000 characters (Unicode code points), without U+0000 and without lone surrogates. It is returned byte for byte.",
    example: 'Rex',
  },
  categoryId: {
    ...newPetRules.categoryId,
    codec: CategoryId,
    description:
      'Id of the category of the animal. It can be larger than 2^53, the limit of exact integers in JavaScript.',
    example: 7n,
  },
  status: {
    ...newPetRules.status,
    codec: PetStatus,
    description: 'Availability of the animal.',
    example: 'available',
  },
} as const satisfies Readonly<Record<string, PetField>>;

export const petFields = {
  id: {
    ...petRules.id,
    codec: PetId,
    description: 'Assigned by the service.',
    example: 1n,
  },
  ...newPetFields,
} as const satisfies Readonly<Record<string, PetField>>;

const isPetField = (name: string): name is keyof typeof petFields => name in petFields;

export const petFieldNames = Object.keys(petFields).filter(isPetField);

/** Animal to add, which has no id yet. */
export interface NewPet extends RecordOf<typeof newPetFields> {}
export const NewPet: RecordCodec<NewPet> = record('NewPet', newPetFields);

/** Animal in the store: the fields of a NewPet, and its id. A stored animal never changes. */
export interface Pet extends RecordOf<typeof petFields> {}
export const Pet: RecordCodec<Pet> = record('Pet', petFields);
