import { isObject, petRules } from '../../core';
import { counted, toPrintableJson } from '../terminal/text';
import { placeOf } from './row-errors';
import type { Row } from './rows';

const maxExact = 999_999_999_999_999n;

const zerosAfter15Digits = /^-?\d{15}0+$/;

/** True for an integer that a spreadsheet, which keeps 15 digits, may have rounded. */
const isRounded = (value: unknown): boolean =>
  typeof value === 'bigint' &&
  (value > maxExact || value < -maxExact) &&
  zerosAfter15Digits.test(value.toString());

const kinds = [
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

const maxIgnoredNames = 10;

/** Collects warnings about values that an import accepts, but that are probably mistakes. */
export const collectWarnings = () => {
  const places: Array<{ count: number; readonly first: string } | undefined> = [];
  const ignored = new Set<string>();
  return {
    see: (row: Row, values: unknown): void => {
      if (!isObject(values)) return;
      for (const [index, { isFoundIn }] of kinds.entries())
        if (isFoundIn(values)) (places[index] ??= { count: 0, first: placeOf(row) }).count += 1;
    },
    ignore: (names: ReadonlyArray<string>): void => {
      for (const name of names)
        if (ignored.size < maxIgnoredNames && !Object.hasOwn(petRules, name)) ignored.add(name);
    },
    texts: (): ReadonlyArray<string> => [
      ...kinds.flatMap(({ noun, text }, index) => {
        const found = places[index];
        return found ? [`${counted(found.count, noun)} ${text}, the first in ${found.first}`] : [];
      }),
      ...(ignored.size === 0
        ? []
        : [`ignored unknown fields: ${[...ignored].map(toPrintableJson).join(', ')}`]),
    ],
  };
};
