import { describeFailure, errorBody } from '../../../adapters/http/operations/errors';
import { petFilterNames } from '../../../core';
import { maxPageSize, newPetRules, petRules } from '../../../core/rules';
import { type FieldRule } from '../../../core/validation';
import { fieldKind } from '../field-kinds';
import { parseExactJson } from './document';
import { exampleFailures } from './example-failures';

/** Shortens a text for a message. Gives the length, so that long texts of different lengths stay distinct. */
export const abbreviate = (text: string): string =>
  text.length > 120 ? `${text.slice(0, 60)}... of ${text.length} characters` : text;

const texts = [
  ...['1', '100', '101', '0', '007', '-1', '+5', '5.0', '1e1', 'x', '', 'asc', 'desc'],
  ...['9223372036854775807', '9223372036854775808', '-9223372036854775808', '-9223372036854775809'],
  ...[
    '"quoted"',
    '"two words"',
    'two words',
    'a,b',
    '"a,b"',
    '"a\\"b\\\\"',
    '"a\\b"',
    'a\\b',
    '"',
    '""',
    '\xe9',
  ],
  ...['k'.repeat(255), 'k'.repeat(256), `"${'k'.repeat(255)}"`, `"${'k'.repeat(256)}"`],
];

const filterTexts = petFilterNames.flatMap((name) => fieldKind(newPetRules[name]).samples.map(String));

/**
 * Returns texts of parameters, accepted or not. Adds values of filters for a query only, because only a query has
 * filters.
 */
export const parameterTexts = (place: string): ReadonlyArray<string> =>
  place === 'query' ? [...new Set([...texts, ...filterTexts])] : texts;

const valuesOf = (rule: FieldRule): ReadonlyArray<string> =>
  fieldKind(rule).samples.map((value) => (typeof value === 'bigint' ? String(value) : JSON.stringify(value)));

const otherValues = ['null', 'true', '1', '1.5', '"1"', '[]', '{}'];

const objectOf = (fields: Readonly<Record<string, string>>): string =>
  `{${Object.entries(fields)
    .map(([name, json]) => `${JSON.stringify(name)}:${json}`)
    .join()}}`;

/**
 * Returns texts of JSON: `otherValues`, an object with the first of the `values` of each field, and objects that differ
 * from it in one field.
 */
const objectsOf = (values: Readonly<Record<string, ReadonlyArray<string>>>): ReadonlyArray<string> => {
  const valid = Object.fromEntries(Object.entries(values).map(([name, [first = '']]) => [name, first]));
  return [
    ...otherValues,
    objectOf({ ...valid, other: '1' }),
    ...Object.entries(values).flatMap(([name, own]) => [
      objectOf(Object.fromEntries(Object.entries(valid).filter(([other]) => other !== name))),
      ...[...own, ...otherValues].map((json) => objectOf({ ...valid, [name]: json })),
    ]),
  ];
};

const animalsOf = (rules: Readonly<Record<string, FieldRule>>): ReadonlyArray<string> =>
  objectsOf(Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, valuesOf(rule)])));

const errors = Object.values(exampleFailures).map((failure) => errorBody(describeFailure(failure)));

const pet = objectOf({ id: '1', name: '"Rex"', categoryId: '7' });

const samplesOf = (texts: ReadonlyArray<string>) =>
  texts.map((json) => ({ text: abbreviate(json), value: parseExactJson(json) }));

/** Valid and invalid values for each schema, with their JSON, by the name of the schema. */
export const samples: Readonly<Record<string, ReturnType<typeof samplesOf>>> = {
  PetStatus: samplesOf([...valuesOf(newPetRules.status), ...otherValues]),
  NewPet: samplesOf(animalsOf(newPetRules)),
  Pet: samplesOf(animalsOf(petRules)),
  Pets: samplesOf([
    ...otherValues,
    `[${pet},1]`,
    ...[1, maxPageSize, maxPageSize + 1].map((count) => `[${Array(count).fill(pet).join()}]`),
  ]),
  Error: samplesOf([
    ...errors.map((body) => JSON.stringify(body)),
    ...objectsOf({
      code: ['"invalid_query"', '"no_such_code"'],
      message: ['"a message"'],
      status: ['400', '399', '599', '600'],
    }),
  ]),
};
