import * as E from 'fp-ts/Either';
import { decodeNewPet, type NewPet } from '../../core';
import { collectWarnings } from './import-warnings';
import { placeOf, rowErrorText } from './row-errors';
import type { Row } from './rows';

/** Numbers of the rows that an import has read, and warnings about these rows. */
export interface Counts {
  rows: number;
  invalidRows: number;
  warnings: ReturnType<typeof collectWarnings>;
  /** Returns the fraction of the file that was read, from 0 to 1, or undefined if its size is unknown. */
  share: () => number | undefined;
}

export const newCounts = (): Counts => ({
  rows: 0,
  invalidRows: 0,
  warnings: collectWarnings(),
  share: () => undefined,
});

/** Returns the animal of a row, or what is wrong with the row. */
const decodeRow = (row: Row, { see, ignore }: Counts['warnings']): E.Either<string, NewPet> => {
  if (E.isLeft(row.value)) return row.value;
  const { right: values } = row.value;
  see(row, values);
  const decoded = decodeNewPet(values);
  if (E.isLeft(decoded)) return E.left(rowErrorText(decoded.left, values));
  ignore(decoded.right.ignored);
  return E.right(decoded.right.value);
};

/** Yields the animals of the valid rows, and calls `onInvalid` with the error of each other row. Counts all rows. */
export async function* newPetsOf(
  batches: AsyncIterable<ReadonlyArray<Row>>,
  counts: Counts,
  onInvalid: (error: string) => void,
): AsyncGenerator<NewPet> {
  for await (const rows of batches)
    for (const row of rows) {
      counts.rows += 1;
      const newPet = decodeRow(row, counts.warnings);
      if (E.isRight(newPet)) yield newPet.right;
      else {
        counts.invalidRows += 1;
        onInvalid(`${placeOf(row)}: ${newPet.left}`);
      }
    }
}
