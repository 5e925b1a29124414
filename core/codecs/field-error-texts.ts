import type { FieldFault } from './field-errors';

/** Each fault as a sentence for people, such as "limit must be an integer from 1 to 100"; `whole` names the value as a whole. */
export const faultTexts = (faults: ReadonlyArray<FieldFault>, whole = 'it'): ReadonlyArray<string> =>
  faults.map(({ field, expected }) => `${field === '' ? whole : field} must be ${expected}`);
