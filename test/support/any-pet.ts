import * as fc from 'fast-check';
import {
  decodeOrThrow,
  type FieldRule,
  fieldType,
  type NewPet,
  NewPetCodec,
  newPetRules,
  type Pet,
  PetCodec,
  petRules,
} from '../../core';
import { anyCharacter } from './random';

const [least, greatest] = [-(2n ** 63n), 2n ** 63n - 1n];

const int64s = fc.oneof(
  fc.bigInt({ min: least, max: greatest }),
  fc.constantFrom(0n, -1n, 2n ** 53n + 1n, least, greatest),
);

/** Generates valid values of a kind of field. The compiler reports a kind without a generator. */
const valuesOf = (field: FieldRule, texts: fc.Arbitrary<string>): fc.Arbitrary<unknown> => {
  switch (field.kind) {
    case 'text':
      return texts.filter((text) => fieldType(field).decode(text) !== undefined);
    case 'int64':
      return int64s;
    case 'enumeration':
      return fc.constantFrom(...field.values);
  }
};

const recordOf = (fields: Readonly<Record<string, FieldRule>>, texts: fc.Arbitrary<string>) =>
  fc.record(
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, valuesOf(field, texts)])),
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
