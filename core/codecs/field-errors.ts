import type * as t from 'io-ts';

/** A field that didn't decode and what it should have been. An empty `field` is the value as a whole. */
export interface FieldFault {
  readonly field: string;
  readonly expected: string;
}

const toFieldFault = (error: t.ValidationError): FieldFault => ({
  field: error.context
    .map(({ key }) => key)
    .filter((key) => key !== '' && !/^[0-9]+$/.test(key))
    .join('.'),
  expected: error.message ?? 'an object',
});

/** Each bad field once, with what was expected; never the value that came. */
export const fieldFaults = (errors: t.Errors): ReadonlyArray<FieldFault> => [
  ...new Map(errors.map(toFieldFault).map((fault) => [fault.field, fault])).values(),
];
