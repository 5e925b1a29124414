import type * as t from 'io-ts';

/** A field that didn't decode and what it should have been. An empty `field` is the value as a whole. */
export interface FieldError {
  readonly field: string;
  readonly expected: string;
}

const toFieldError = (error: t.ValidationError): FieldError => ({
  field: error.context
    .map(({ key }) => key)
    .filter((key) => key !== '' && !/^[0-9]+$/.test(key))
    .join('.'),
  // A codec of io-ts's own has no message, but a name that says it.
  expected: error.message ?? error.context.at(-1)?.type.name ?? 'another value',
});

/** Each bad field once, with what was expected; never the value that came. */
export const fieldErrors = (errors: t.Errors): ReadonlyArray<FieldError> => [
  ...new Map(errors.map(toFieldError).map((error) => [error.field, error])).values(),
];
