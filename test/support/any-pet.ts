import * as fc from 'fast-check';
import {
  decodeOrThrow,
  type FieldRule,
  type NewPet,
  NewPetCodec,
  newPetRules,
  type Pet,
  PetCodec,
  petRules,
} from '../../core';
import { fieldKind } from './field-kinds';
import { anyCharacter } from './random';

const recordOf = (fields: Readonly<Record<string, FieldRule>>, texts: fc.Arbitrary<string>) =>
  fc.record(
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldKind(field).valid(texts)])),
    {
      requiredKeys: Object.keys(fields).filter((name) => fields[name]?.required),
      noNullPrototype: true,
    },
  );

const anyText = fc.string({ unit: anyCharacter });

/** Generates valid NewPets whose text fields come from `texts`. */
export const anyNewPet = (texts = anyText): fc.Arbitrary<NewPet> =>
  recordOf(newPetRules, texts).map((fields) => decodeOrThrow(NewPetCodec, fields));

/** Generates valid Pets whose text fields come from `texts`. */
export const anyPet = (texts = anyText): fc.Arbitrary<Pet> =>
  recordOf(petRules, texts).map((fields) => decodeOrThrow(PetCodec, fields));
