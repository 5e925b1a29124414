import * as E from 'fp-ts/Either';
import * as t from 'io-ts';
import { type NewPet, type Pet, type PetChanges, petFilters, type PetQuery } from './pets';
import {
  type FieldRule,
  fieldType,
  listOrderRule,
  newPetRules,
  pageSizeRule,
  petRules,
  type Rule,
  type ValueOf,
} from './rules';

declare const brands: unique symbol;

/** Type brand of a text that a codec has checked, so that two kinds of texts can't be mixed up. */
export interface Brand<Name extends string> {
  readonly [brands]: Readonly<Record<Name, true>>;
}

/** Makes a codec that accepts the texts for which the rule holds, and brands them. */
export const brandedText = <Name extends string>(
  name: Name,
  { holds, expected }: Rule<string>,
): t.Type<string & Brand<Name>, string> => {
  const is = (value: unknown): value is string & Brand<Name> => typeof value === 'string' && holds(value);
  return new t.Type<string & Brand<Name>, string, unknown>(
    name,
    is,
    (input, context) => (is(input) ? t.success(input) : t.failure(input, context, expected)),
    (text) => text,
  );
};

const fieldCodec = <R extends FieldRule>(rule: R): t.Type<ValueOf<R>, unknown> => {
  const { decode, expected } = fieldType(rule);
  const is = (value: unknown): value is ValueOf<R> => value !== undefined && decode(value) === value;
  return new t.Type<ValueOf<R>, unknown, unknown>(
    rule.kind,
    is,
    (input, context) => {
      const value: unknown = decode(input);
      return is(value) ? t.success(value) : t.failure(input, context, expected);
    },
    (value) => value,
  );
};

interface Field {
  readonly codec: t.Mixed;
  readonly isRequired: boolean;
}

const fieldsOf = (
  rules: Readonly<Record<string, FieldRule>>,
): ReadonlyArray<readonly [name: string, field: Field]> =>
  Object.entries(rules).map(([name, rule]) => [name, { codec: fieldCodec(rule), isRequired: rule.required }]);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Makes the codec of an object with these fields. Decoding copies only own properties that are fields, and leaves out
 * optional fields that are undefined.
 */
const recordCodec = <A extends object>(
  name: string,
  fields: ReadonlyArray<readonly [name: string, field: Field]>,
): t.Type<A> => {
  const is = (value: unknown): value is A =>
    isObject(value) &&
    fields.every(([field, { codec, isRequired }]) => {
      const own = value[field];
      return own === undefined ? !isRequired && !(field in value) : codec.is(own);
    });

  const validate: t.Validate<unknown, A> = (input, context) => {
    if (!isObject(input)) return t.failure(input, context, 'an object');
    const errors: t.Errors = [];
    const copy: Record<string, unknown> = {};
    for (const [field, { codec, isRequired }] of fields) {
      const value = Object.hasOwn(input, field) ? input[field] : undefined;
      if (value === undefined && !isRequired) continue;
      const decoded = codec.validate(value, t.appendContext(context, field, codec, value));
      if (E.isLeft(decoded)) errors.push(...decoded.left);
      else copy[field] = decoded.right;
    }
    const isDecoded = (_value: unknown): _value is A => errors.length === 0;
    return isDecoded(copy) ? t.success(copy) : t.failures(errors);
  };

  return new t.Type<A, A, unknown>(name, is, validate, (value) => value);
};

/** Codec of an animal to add. Decoding ignores other fields, such as an id. */
export const NewPetCodec = recordCodec<NewPet>('NewPet', fieldsOf(newPetRules));

/** Codec of a stored animal, which has an id. */
export const PetCodec = recordCodec<Pet>('Pet', fieldsOf(petRules));

const orNull = ({ codec, isRequired }: Field): t.Mixed =>
  isRequired
    ? codec
    : new t.Type<unknown, unknown, unknown>(
        codec.name,
        (value): value is unknown => value === null || codec.is(value),
        (input, context) => (input === null ? t.success(null) : codec.validate(input, context)),
        (value) => value,
      );

/** Codec of changes to an animal. Decoding ignores other fields, such as an id. */
export const PetChangesCodec = recordCodec<PetChanges>(
  'PetChanges',
  fieldsOf(newPetRules).map(([name, field]) => [name, { codec: orNull(field), isRequired: false }] as const),
);

/** Returns a copy of an animal with the changes. A change to null removes the field. */
export const withChanges = (pet: Pet, changes: PetChanges): Pet => {
  const fields = Object.entries({ ...pet, ...changes }).filter(([, value]) => value !== null);
  return decodeOrThrow(PetCodec, Object.fromEntries(fields));
};

const PageSize = new t.Type<number, number, unknown>(
  'PageSize',
  (value): value is number => typeof value === 'number' && pageSizeRule.holds(value),
  (input, context) =>
    typeof input === 'number' && pageSizeRule.holds(input)
      ? t.success(input)
      : t.failure(input, context, pageSizeRule.expected),
  (value) => value,
);

/** Codec of a query whose `limit` may be missing. */
export const PetQueryCodec = recordCodec<Partial<PetQuery>>('PetQuery', [
  ['limit', { codec: PageSize, isRequired: false }],
  ['after', { codec: fieldCodec(petRules.id), isRequired: false }],
  ['order', { codec: fieldCodec(listOrderRule), isRequired: false }],
  ...petFilters.map((name) => [name, { codec: fieldCodec(newPetRules[name]), isRequired: false }] as const),
]);

/**
 * Invalid field of an input, and the accepted values in words. `name` is empty if the whole input has the wrong type.
 */
export interface InvalidField {
  readonly name: string;
  readonly expected: string;
  readonly isMissing?: true;
}

const toInvalidField = ({ context, message, value }: t.ValidationError): InvalidField => {
  const name = context
    .map(({ key }) => key)
    .filter((key) => key !== '' && !/^[0-9]+$/.test(key))
    .join('.');
  const expected = message ?? context.at(-1)?.type.name ?? 'a valid value';
  return value === undefined && name !== '' ? { name, expected, isMissing: true } : { name, expected };
};

/** Returns the invalid fields, each only once even if it has several errors. */
export const invalidFieldsOf = (errors: t.Errors): ReadonlyArray<InvalidField> => [
  ...new Map(errors.map(toInvalidField).map((error) => [error.name, error])).values(),
];

/** Describes what each invalid field must be. `whole` is the name of the input itself, such as `the body`. */
export const invalidFieldTexts = (fields: ReadonlyArray<InvalidField>, whole = 'it'): ReadonlyArray<string> =>
  fields.map(({ name, expected, isMissing }) =>
    isMissing === true ? `${name} is required` : `${name === '' ? whole : name} must be ${expected}`,
  );

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
