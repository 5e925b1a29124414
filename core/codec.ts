/* Defines io-ts codecs that use the checks of validation.ts, for programs that embed the store. */

import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as t from 'io-ts';
import type { NewPet, Pet } from './pets';
import { newPetRules, petRules } from './rules';
import {
  type Check,
  type FieldChecks,
  fieldChecks,
  type InvalidField,
  invalidFieldTexts,
  isObject,
  objectCheck,
  textCheck,
  type TextPattern,
} from './validation';

declare const brands: unique symbol;

/** Type brand of a text that a codec has checked, so that two kinds of texts can't be mixed up. */
export interface Brand<Name extends string> {
  readonly [brands]: Readonly<Record<Name, true>>;
}

/** Makes a codec that accepts the texts that match a pattern, and brands them. */
export const brandedText = <Name extends string>(
  name: Name,
  pattern: TextPattern,
): t.Type<string & Brand<Name>, string> => {
  const { decode } = textCheck(pattern);
  const is = (value: unknown): value is string & Brand<Name> => decode(value) !== undefined;
  return new t.Type<string & Brand<Name>, string, unknown>(
    name,
    is,
    (input, context) => (is(input) ? t.success(input) : t.failure(input, context, pattern.expected)),
    (text) => text,
  );
};

/** Makes the codec of an object with these fields. Decoding ignores other properties, such as an id. */
const objectCodec = <A>(name: string, fields: FieldChecks<A>): t.Type<A> => {
  const check = objectCheck(fields);
  const checks = Object.entries<Check>(fields);
  // True if decoding would not change the value. Makes no copy, because this check runs for each row read.
  const is = (value: unknown): value is A =>
    isObject(value) &&
    checks.every(([field, { decode, required = false }]) => {
      if (!Object.hasOwn(value, field)) return !required;
      const own = value[field];
      return own !== undefined && decode(own) === own;
    });
  const validate: t.Validate<unknown, A> = (input, context) => {
    // Gives the error of a missing property the value undefined, as io-ts itself does.
    const toError = ({ name: key, rule, expected }: InvalidField): t.ValidationError => ({
      value: rule === 'required' ? undefined : input,
      context: t.appendContext(context, key, t.unknown),
      message: expected,
    });
    return pipe(
      check(input),
      E.bimap(
        (invalid) => invalid.map(toError),
        ({ value }) => value,
      ),
    );
  };
  return new t.Type<A, A, unknown>(name, is, validate, (value) => value);
};

export const NewPetCodec = objectCodec<NewPet>('NewPet', fieldChecks(newPetRules));

/** Codec of a stored animal, which has an id. */
export const PetCodec = objectCodec<Pet>('Pet', fieldChecks(petRules));

const toInvalidField = ({ context, message, value }: t.ValidationError): InvalidField => {
  const name = context
    .map(({ key }) => key)
    .filter((key) => key !== '' && !/^[0-9]+$/.test(key))
    .join('.');
  // io-ts does not say which rule a value broke. Only a missing property has the value undefined, so that value tells
  // 'required' from 'invalid'.
  const expected = message ?? context.at(-1)?.type.name ?? 'a valid value';
  return { name, expected, rule: value === undefined && name !== '' ? 'required' : 'invalid' };
};

/** Returns the invalid fields that a codec's errors name, each field only once. */
export const invalidFieldsOf = (errors: t.Errors): ReadonlyArray<InvalidField> => [
  ...new Map(errors.map(toInvalidField).map((error) => [error.name, error])).values(),
];

/**
 * Decodes a trusted value, as in `decodeOrThrow(KeyId, 'price-list')`. Throws a TypeError that names each invalid
 * field. For untrusted input, use `decode` of the codec, which returns an Either.
 */
export const decodeOrThrow = <A>(codec: t.Type<A, unknown>, value: unknown): A => {
  const decoded = codec.decode(value);
  if (E.isRight(decoded)) return decoded.right;
  const texts = invalidFieldTexts(invalidFieldsOf(decoded.left));
  throw new TypeError(`invalid ${codec.name}: ${texts.join('; ')}`);
};
