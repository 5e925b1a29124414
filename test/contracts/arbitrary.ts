import {
  ApiKey,
  IdempotencyKey,
  KeyId,
  type FieldRule,
  type NewPet,
  NewPetCodec,
  newPetRules,
  OwnerId,
  type Pet,
  type ScopedIdempotencyKey,
} from '../../core';
import { decoded } from './outcome';

/** Makes a generator of random numbers from 0 to 1. The same seed gives the same numbers (splitmix32). */
const generatorOf = (seed: number): (() => number) => {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
};

export const newSeed = (): number => Math.floor(Math.random() * 2 ** 32);

let random = generatorOf(newSeed());

/** Restarts the random generator from a seed and a text, so that one seed gives each test its own values. */
export const seedRandom = (seed: number, text = ''): void => {
  let mixed = seed;
  for (const character of text) mixed = Math.imul(mixed ^ (character.codePointAt(0) ?? 0), 0x01000193);
  random = generatorOf(mixed);
};

/** Returns a random integer from `from` to `to`, both included. */
export const arbitraryNumber = (from: number, to: number): number =>
  from + Math.floor(random() * (to - from + 1));

export const arbitraryElement = <A>(first: A, ...others: ReadonlyArray<A>): A =>
  others[arbitraryNumber(-1, others.length - 1)] ?? first;

const characters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

const arbitraryWord = (length = 16): string =>
  Array.from({ length }, () => characters.charAt(arbitraryNumber(0, characters.length - 1))).join('');

const signs = [' ', "'", '"', 'é', 'e\u0301', 'ß', 'Ж', 'ש', '犬', '🐕', '\n', '%', '\\'];

/** Returns a random text of letters and signs of several scripts. */
const arbitraryText = (): string =>
  Array.from({ length: arbitraryNumber(0, 12) }, () => arbitraryElement(arbitraryWord(3), ...signs)).join('');

/** Returns a random int64. Most of them are too large to be exact as a double. */
const arbitraryInt64 = (): bigint => {
  const half = () => BigInt(arbitraryNumber(0, 2 ** 32 - 1));
  return BigInt.asIntN(64, (half() << 32n) | half());
};

const arbitraryValue = (field: FieldRule): unknown => {
  switch (field.kind) {
    case 'text':
      // An optional text is never empty.
      return field.required ? arbitraryText() : arbitraryWord(1) + arbitraryText();
    case 'int64':
      return arbitraryInt64();
    case 'enumeration':
      return field.values[arbitraryNumber(0, field.values.length - 1)];
  }
};

export const arbitraryCategoryId = (): bigint => arbitraryInt64();

/** Returns a random id, which may be negative. */
export const arbitraryPetId = (): bigint => arbitraryInt64();

/** Returns a random animal. It has each optional field with a probability of one half. */
export const arbitraryNewPet = (): NewPet => {
  const fields = Object.entries<FieldRule>(newPetRules).flatMap(([name, field]) =>
    field.required || arbitraryElement(true, false) ? [[name, arbitraryValue(field)] as const] : [],
  );
  return decoded(NewPetCodec, Object.fromEntries(fields));
};

export const arbitraryPet = (): Pet => ({ id: arbitraryPetId(), ...arbitraryNewPet() });

/** Returns a random API key that no store has issued. */
export const arbitraryApiKey = (): ApiKey => decoded(ApiKey, arbitraryWord(43));

/** Returns a random key id. It is long enough to be unique. */
export const arbitraryKeyId = (): KeyId => decoded(KeyId, arbitraryWord());

export const arbitraryOwnerId = (): OwnerId => decoded(OwnerId, arbitraryWord());

export const arbitraryIdempotencyKey = (): IdempotencyKey => decoded(IdempotencyKey, arbitraryWord(32));

export const arbitraryScopedIdempotencyKey = (): ScopedIdempotencyKey => ({
  ownerId: arbitraryOwnerId(),
  idempotencyKey: arbitraryIdempotencyKey(),
});
