import * as t from 'io-ts';

/**
 * The same codec on a copy of the fields that it knows. io-ts copies what it decodes field by field, and a field
 * named `__proto__` would give the copy a prototype with fields of its own.
 */
export const fieldsOnly = <A extends object, O>(
  codec: t.Type<A, O>,
  fields: ReadonlyArray<keyof A & string>,
): t.Type<A, O> => {
  const pick = (input: unknown): unknown =>
    t.UnknownRecord.is(input)
      ? Object.fromEntries(fields.filter((field) => field in input).map((field) => [field, input[field]]))
      : input;
  return new t.Type<A, O, unknown>(
    codec.name,
    codec.is,
    (input, context) => codec.validate(pick(input), context),
    codec.encode,
  );
};
