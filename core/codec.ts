import * as E from 'fp-ts/Either';
import * as t from 'io-ts';

declare const names: unique symbol;

/** Type brand of a value that a codec has checked, such as the result of `decodeOrThrow(PetId, 7n)`. */
export interface FromDecodeOrThrow<Name extends string> {
  readonly [names]: Readonly<Record<Name, true>>;
}

interface Rule<A> {
  readonly holds: (value: A) => boolean;
  readonly expected: string;
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

/** A field of the input that a codec rejects. `field` is empty if the whole input has the wrong type. */
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
  const expected = message ?? context.at(-1)?.type.name ?? 'another value';
  return value === undefined && field !== '' ? { field, expected, isMissing: true } : { field, expected };
};

/** Lists each invalid field once, with the values that it accepts. Leaves out the rejected value. */
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
 * untrusted input use the codec's `decode`, which returns an Either.
 */
export const decodeOrThrow = <A>(codec: t.Type<A, unknown>, value: unknown): A => {
  const decoded = codec.decode(value);
  if (E.isRight(decoded)) return decoded.right;
  throw new TypeError(`invalid ${codec.name}: ${fieldErrorTexts(fieldErrors(decoded.left)).join('; ')}`);
};
