import * as E from 'fp-ts/Either';
import {
  decodeNewPets,
  type FieldRule,
  type InvalidField,
  type InvalidNewPet,
  invalidFieldTexts,
  isObject,
  newPetRules,
  petRules,
} from '../../core';
import { counted, toPrintableJson } from '../terminal/text';
import type { Row } from './rows';

/** Numbers of the rows that were read from a file, and warnings about these rows. */
export interface Counts {
  readonly rows: number;
  readonly invalidRows: number;
  readonly warnings: ReadonlyArray<string>;
}

/**
 * Reads the animals of the valid rows, and calls `onInvalidRow` with the error of each other row. `counts` counts the
 * rows that were read.
 */
export const readNewPets = (
  batches: AsyncIterable<ReadonlyArray<Row>>,
  onInvalidRow: (error: string) => void,
) => {
  let rows = 0;
  let invalidRows = 0;
  let row: Row | undefined;
  let value: unknown;
  const { see, ignore, texts } = collectWarnings();
  const reject = (text: string): void => {
    invalidRows += 1;
    if (row !== undefined) onInvalidRow(`${placeOf(row)}: ${text}`);
  };

  async function* values(): AsyncGenerator {
    for await (const batch of batches)
      for (row of batch) {
        rows += 1;
        if (E.isLeft(row.value)) reject(row.value.left);
        else {
          value = row.value.right;
          see(row, value);
          yield value;
        }
      }
  }

  // Uses `row` and `value` of the row that failed, because the core decodes a value before it reads the next one.
  const onInvalid = (failure: InvalidNewPet): void => {
    reject(rowErrorText(failure, value));
  };

  return {
    newPets: decodeNewPets(values(), { onInvalid, onUnknownFields: ignore }),
    counts: (): Counts => ({ rows, invalidRows, warnings: texts() }),
  };
};

/** Names the line of a row, and its row in a spreadsheet if that differs, as after line breaks in values. */
const placeOf = ({ line, spreadsheetRow = line }: Row): string =>
  spreadsheetRow === line ? `line ${line}` : `line ${line} (row ${spreadsheetRow} of a spreadsheet)`;

const rowErrorText = ({ fields }: InvalidNewPet, row: unknown): string => {
  const values = isObject(row) ? row : {};
  return fields.map((field) => errorOf(field, values)).join('; ');
};

const rules: Readonly<Record<string, FieldRule>> = newPetRules;

const errorOf = (field: InvalidField, row: Readonly<Record<string, unknown>>): string => {
  const expected = field.rule === 'not_integer' ? 'an integer' : field.expected;
  const [text = ''] = invalidFieldTexts([{ ...field, expected }], 'the row');
  const value = row[field.name];
  const given = value === undefined ? undefined : shown(value);
  if (given === undefined) return text;
  const rule = rules[field.name];
  const meant = rule?.kind === 'enumeration' && typeof value === 'string' ? value.trim().toLowerCase() : '';
  const isKnown = rule?.kind === 'enumeration' && rule.values.includes(meant);
  return `${text}, not ${given}${isKnown ? `; did you mean ${meant}?` : ''}`;
};

const maxShownLength = 40;

/** Returns the start of a value as text, or undefined for a value such as an object. */
const shown = (value: unknown): string | undefined => {
  if (typeof value !== 'string') return /^[\w.+-]+$/.test(String(value)) ? String(value) : undefined;
  const characters = Array.from(value);
  const isCut = characters.length > maxShownLength;
  return `${toPrintableJson(characters.slice(0, maxShownLength).join(''))}${isCut ? '...' : ''}`;
};

const maxIgnoredNames = 10;

/** Collects warnings about values that an import accepts, but that are probably mistakes. */
const collectWarnings = () => {
  const places: Array<{ count: number; readonly first: string } | undefined> = [];
  const ignored = new Set<string>();
  return {
    see: (row: Row, values: unknown): void => {
      if (!isObject(values)) return;
      for (const [index, { isFoundIn }] of mistakes.entries())
        if (isFoundIn(values)) (places[index] ??= { count: 0, first: placeOf(row) }).count += 1;
    },
    ignore: (names: ReadonlyArray<string>): void => {
      for (const name of names)
        if (ignored.size < maxIgnoredNames && !Object.hasOwn(petRules, name)) ignored.add(name);
    },
    texts: (): ReadonlyArray<string> => [
      ...mistakes.flatMap(({ noun, text }, index) => {
        const found = places[index];
        return found ? [`${counted(found.count, noun)} ${text}, the first in ${found.first}`] : [];
      }),
      ...(ignored.size === 0
        ? []
        : [`ignored unknown fields: ${[...ignored].map(toPrintableJson).join(', ')}`]),
    ],
  };
};

const mistakes = [
  {
    noun: 'name',
    text: 'without a visible character',
    isFoundIn: ({ name }: Readonly<Record<string, unknown>>) =>
      typeof name === 'string' && name.trim() === '',
  },
  {
    noun: 'number',
    text: 'with zeros after 15 digits, which a spreadsheet may have rounded',
    isFoundIn: (values: Readonly<Record<string, unknown>>) => Object.values(values).some(isRounded),
  },
] as const;

const maxExact = 999_999_999_999_999n;

const zerosAfter15Digits = /^-?\d{15}0+$/;

/** True for an integer that a spreadsheet, which keeps 15 digits, may have rounded. */
const isRounded = (value: unknown): boolean =>
  typeof value === 'bigint' &&
  (value > maxExact || value < -maxExact) &&
  zerosAfter15Digits.test(value.toString());
