import {
  type FieldRule,
  type InvalidField,
  type InvalidNewPet,
  invalidFieldTexts,
  newPetRules,
} from '../../core';
import { toPrintableJson } from '../terminal/text';
import type { Row } from './rows';

/** Names the line of a row, and its row in a spreadsheet if that differs, as after line breaks in values. */
export const placeOf = ({ line, spreadsheetRow = line }: Row): string =>
  spreadsheetRow === line ? `line ${line}` : `line ${line} (row ${spreadsheetRow} of a spreadsheet)`;

const rules: Readonly<Record<string, FieldRule>> = newPetRules;

const maxShownLength = 40;

/** Returns the start of a value as text, or undefined for a value such as an object. */
const shown = (value: unknown): string | undefined => {
  if (typeof value !== 'string') return /^[\w.+-]+$/.test(String(value)) ? String(value) : undefined;
  const characters = Array.from(value);
  const isCut = characters.length > maxShownLength;
  return `${toPrintableJson(characters.slice(0, maxShownLength).join(''))}${isCut ? '...' : ''}`;
};

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

/** Describes the error of each invalid field of a row, with the value of the field. */
export const rowErrorText = ({ fields }: InvalidNewPet, row: unknown): string => {
  const values = typeof row === 'object' && row !== null ? Object.fromEntries(Object.entries(row)) : {};
  return fields.map((field) => errorOf(field, values)).join('; ');
};
