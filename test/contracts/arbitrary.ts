import {
  ApiKey,
  CategoryId,
  IdempotencyKey,
  KeyId,
  NewPet,
  newPetFields,
  OwnerId,
  type Pet,
  type PetField,
  PetId,
  type ScopedIdempotencyKey,
} from '../../core';
import { decoded } from './outcome';

/** Makes a generator of numbers from 0 to 1, the same ones for the same seed (splitmix32). */
const generatorOf = (seed: number): (() => number) => {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
};

/** Returns a random seed. */
export const newSeed = (): number => Math.floor(Math.random() * 2 ** 32);

let random = generatorOf(newSeed());

/** Restarts the generator with this seed and text, so that one seed serves many tests. */
export const seedRandom = (seed: number, text = ''): void => {
  let mixed = seed;
  for (const character of text) mixed = Math.imul(mixed ^ (character.codePointAt(0) ?? 0), 0x01000193);
  random = generatorOf(mixed);
};

/** Returns a random whole number, both ends included. */
export const arbitraryNumber = (from: number, to: number): number =>
  from + Math.floor(random() * (to - from + 1));

/** Returns one of several values at random. */
export const arbitraryElement = <A>(first: A, ...others: ReadonlyArray<A>): A =>
  others[arbitraryNumber(-1, others.length - 1)] ?? first;

const characters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

const arbitraryWord = (length = 16): string =>
  Array.from({ length }, () => characters.charAt(arbitraryNumber(0, characters.length - 1))).join('');

const signs = [' ', "'", '"', 'é', 'e\u0301', 'ß', 'Ж', 'ש', '犬', '🐕', '\n', '%', '\\'];

/** Returns words and signs of several scripts. */
const arbitraryText = (): string =>
  Array.from({ length: arbitraryNumber(0, 12) }, () => arbitraryElement(arbitraryWord(3), ...signs)).join('');

/** Returns a random int64, in most cases beyond the exact integers of a double. */
const arbitraryInt64 = (): bigint => {
  const half = () => BigInt(arbitraryNumber(0, 2 ** 32 - 1));
  return BigInt.asIntN(64, (half() << 32n) | half());
};

const arbitraryDate = (): string =>
  new Date(Date.UTC(2000, 0, arbitraryNumber(1, 20_000))).toISOString().slice(0, 10);

const arbitraryValue = (field: PetField): unknown => {
  switch (field.kind) {
    case 'text':
      return arbitraryText();
    case 'int64':
      return arbitraryInt64();
    case 'enumeration':
      return field.values[arbitraryNumber(0, field.values.length - 1)];
    case 'date':
      return arbitraryDate();
  }
};

/** Returns a random category. */
export const arbitraryCategoryId = (): CategoryId => decoded(CategoryId, arbitraryInt64());

/** Returns a random id, also a negative one. */
export const arbitraryPetId = (): PetId => decoded(PetId, arbitraryInt64());

/** Returns a random animal. Each of its optional fields is there in one of two cases. */
export const arbitraryNewPet = (): NewPet => {
  const fields = Object.entries<PetField>(newPetFields).flatMap(([name, field]) =>
    field.required || arbitraryElement(true, false) ? [[name, arbitraryValue(field)] as const] : [],
  );
  return decoded(NewPet, Object.fromEntries(fields));
};

/** Returns a random animal with an id. */
export const arbitraryPet = (): Pet => ({ id: arbitraryPetId(), ...arbitraryNewPet() });

/** Returns a random key that was never issued. */
export const arbitraryApiKey = (): ApiKey => decoded(ApiKey, arbitraryWord(43));

/** Returns an id that no key had before. */
export const arbitraryKeyId = (): KeyId => decoded(KeyId, arbitraryWord());

/** Returns an id that no owner of API keys had before. */
export const arbitraryOwnerId = (): OwnerId => decoded(OwnerId, arbitraryWord());

/** Returns an idempotency key that no create had before. */
export const arbitraryIdempotencyKey = (): IdempotencyKey => decoded(IdempotencyKey, arbitraryWord(32));

/** Returns an idempotency key of a random owner. */
export const arbitraryScopedIdempotencyKey = (): ScopedIdempotencyKey => ({
  ownerId: arbitraryOwnerId(),
  idempotencyKey: arbitraryIdempotencyKey(),
});
