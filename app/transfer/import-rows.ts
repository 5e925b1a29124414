import * as E from 'fp-ts/Either';
import type { InvalidNewPet } from '../../core';
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

/** Returns the values of rows, and the callbacks of an import of them. Calls `onReject` with each invalid row. */
export const valuesOf = (
  batches: AsyncIterable<ReadonlyArray<Row>>,
  counts: Counts,
  onReject: (error: string) => void,
) => {
  // An import checks a value before it takes the next one, so its failure belongs to the row that was read last.
  let row: Row = { line: 0, value: E.right(undefined) };
  const reject = (reason: string): void => {
    counts.invalidRows += 1;
    onReject(`${placeOf(row)}: ${reason}`);
  };
  async function* values(): AsyncGenerator {
    for await (const rows of batches)
      for (row of rows) {
        counts.rows += 1;
        if (E.isLeft(row.value)) {
          reject(row.value.left);
          continue;
        }
        counts.warnings.see(row, row.value.right);
        yield row.value.right;
      }
  }
  const onInvalid = (failure: InvalidNewPet): void => {
    reject(rowErrorText(failure, E.isRight(row.value) ? row.value.right : undefined));
  };
  return { values: values(), callbacks: { onInvalid, onIgnored: counts.warnings.ignore } };
};
