import * as E from 'fp-ts/Either';
import type { Eq } from 'fp-ts/Eq';
import * as t from 'io-ts';
import { enumerationRule, int64Rule, isDecimal, type Rule, textRule } from './rules';

declare const names: unique symbol;

/**
 * Type brand of a value that a codec has checked, such as the result of `decodeOrThrow(PetId, 7n)`. pets.ts and keys.ts
 * define their types with the codecs of this file.
 */
export interface FromDecodeOrThrow<Name extends string> {
  readonly [names]: Readonly<Record<Name, true>>;
}

export const brand = <A, B extends A, O>(
  name: string,
  base: t.Type<A, O>,
  { holds, expected }: Rule<A>,
): t.Type<B, O> => {
  const is = (value: unknown): value is B => base.is(value) && holds(value);
  return new t.Type<B, O, unknown>(
    name,
    is,
    (input, context) => {
      const decoded = base.validate(input, context);
      return E.isRight(decoded) && is(decoded.right)
        ? t.success(decoded.right)
        : t.failure(input, context, expected);
    },
    base.encode,
  );
};

/**
 * Makes the codec of an int64. The codec accepts bigints in range and safe integers. Larger numbers may already have
 * lost digits.
 */
export const int64 = <B extends bigint>(name: string): t.Type<B, bigint> => {
  const is = (value: unknown): value is B => typeof value === 'bigint' && int64Rule.holds(value);
  return new t.Type<B, bigint, unknown>(
    name,
    is,
    (input, context) => {
      const value = typeof input === 'number' && Number.isSafeInteger(input) ? BigInt(input) : input;
      return is(value) ? t.success(value) : t.failure(input, context, int64Rule.expected);
    },
    (value) => value,
  );
};

export type Int64 = bigint & FromDecodeOrThrow<'Int64'>;
export const Int64: t.Type<Int64, bigint> = int64('Int64');

export const inDecimal = <A extends bigint>(integer: t.Type<A, bigint>): t.Type<A, string> =>
  new t.Type<A, string, unknown>(
    `${integer.name} in decimal`,
    integer.is,
    (input, context) =>
      typeof input === 'string' && isDecimal(input)
        ? integer.validate(BigInt(input), context)
        : t.failure(input, context, 'an int64 in decimal digits'),
    String,
  );

export const text = <B extends string>(name: string, maxLength: number): t.Type<B, string> =>
  brand(name, t.string, textRule(maxLength));

export const enumeration = <A extends string>(name: string, values: ReadonlyArray<A>): t.Type<A, string> =>
  brand(name, t.string, enumerationRule(values));

/** Field of the input that a codec rejects. `field` is empty if the whole input has the wrong type. */
export interface FieldError {
  readonly field: string;
  readonly expected: string;
  readonly isMissing?: true;
}

const toFieldError = ({ context, message, value }: t.ValidationError): FieldError => {
  const field = context
    .map(({ key }) => key)
    .filter((key) => key !== '' && !/^[0-9]+$/.test(key))
    .join('.');
  const expected = message ?? context.at(-1)?.type.name ?? 'a valid value';
  return value === undefined && field !== '' ? { field, expected, isMissing: true } : { field, expected };
};

/** Lists each invalid field once, with a text about the values that it accepts. The rejected values are left out. */
export const fieldErrors = (errors: t.Errors): ReadonlyArray<FieldError> => [
  ...new Map(errors.map(toFieldError).map((error) => [error.field, error])).values(),
];

export const fieldErrorTexts = (
  fieldErrors: ReadonlyArray<FieldError>,
  subjectOfWhole = 'it',
): ReadonlyArray<string> =>
  fieldErrors.map(({ field, expected, isMissing }) =>
    isMissing === true
      ? `${field} is required`
      : `${field === '' ? subjectOfWhole : field} must be ${expected}`,
  );

/**
 * Decodes a trusted value, as in `decodeOrThrow(PageSize, 20)`. Throws a TypeError that names each invalid field. For
 * untrusted input, use the codec's `decode`, which returns an Either.
 */
export const decodeOrThrow = <A>(codec: t.Type<A, unknown>, value: unknown): A => {
  const decoded = codec.decode(value);
  if (E.isRight(decoded)) return decoded.right;
  throw new TypeError(`invalid ${codec.name}: ${fieldErrorTexts(fieldErrors(decoded.left)).join('; ')}`);
};

type Primitive = string | number | bigint | boolean;

interface FieldCodec extends t.Decoder<unknown, Primitive> {
  readonly is: t.Is<Primitive>;
  readonly _A: Primitive;
}

export type Fields = Readonly<Record<string, { readonly codec: FieldCodec; readonly required: boolean }>>;

type Flat<A> = { readonly [K in keyof A]: A[K] };

export type RecordOf<F extends Fields> = Flat<
  {
    readonly [K in keyof F as F[K]['required'] extends true ? K : never]: F[K]['codec']['_A'];
  } & {
    readonly [K in keyof F as F[K]['required'] extends true ? never : K]?: F[K]['codec']['_A'];
  }
>;

export interface RecordCodec<A> extends t.Type<A> {
  readonly required: ReadonlyArray<string>;
  readonly optional: ReadonlyArray<string>;
  readonly eq: Eq<A>;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Makes the codec of an object with these fields, for pets.ts. Decoding and encoding copy only these
 * fields, and leave out optional fields that are undefined. Decoding also ignores inherited properties.
 */
export const record = <F extends Fields>(name: string, fields: F): RecordCodec<RecordOf<F>> => {
  type A = RecordOf<F>;
  const all = Object.entries(fields);
  const required = all.filter(([, field]) => field.required).map(([field]) => field);
  const optional = all.filter(([, field]) => !field.required).map(([field]) => field);

  const is = (value: unknown): value is A =>
    isObject(value) &&
    all.every(([field, codec]) => {
      const own = value[field];
      return own === undefined ? !codec.required && !(field in value) : codec.codec.is(own);
    });

  const validate: t.Validate<unknown, A> = (input, context) => {
    if (!isObject(input)) return t.failure(input, context, 'an object');
    const errors: t.Errors = [];
    const copy: Record<string, unknown> = {};
    for (const [field, { codec, required: isRequired }] of all) {
      const value = Object.hasOwn(input, field) ? input[field] : undefined;
      if (value === undefined && !isRequired) continue;
      const decoded = codec.validate(value, t.appendContext(context, field, codec, value));
      if (E.isLeft(decoded)) errors.push(...decoded.left);
      else copy[field] = decoded.right;
    }
    const isDecoded = (_value: unknown): _value is A => errors.length === 0;
    return isDecoded(copy) ? t.success(copy) : t.failures(errors);
  };

  const encode = (value: A): A => {
    const copy: Record<string, unknown> = {};
    for (const [field] of all) {
      const own: unknown = Reflect.get(value, field);
      if (own !== undefined) copy[field] = own;
    }
    if (!is(copy)) {
      decodeOrThrow(codec, copy);
      throw new TypeError(`invalid ${name}: decode it first, as in decodeOrThrow(${name}, value)`);
    }
    return copy;
  };

  const eq: Eq<A> = {
    equals: (one, other) => all.every(([field]) => Reflect.get(one, field) === Reflect.get(other, field)),
  };

  const codec = new t.Type<A, A>(name, is, validate, encode);
  return Object.assign(codec, { required, optional, eq });
};
