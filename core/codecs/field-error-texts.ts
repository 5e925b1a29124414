import type { FieldError } from './field-errors';

/** Each field error as a sentence for people, such as "limit must be an integer from 1 to 100"; `whole` names the value as a whole. */
export const fieldErrorTexts = (
  fieldErrors: ReadonlyArray<FieldError>,
  whole = 'it',
): ReadonlyArray<string> =>
  fieldErrors.map(({ field, expected }) => `${field === '' ? whole : field} must be ${expected}`);
