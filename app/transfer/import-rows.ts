import * as E from 'fp-ts/Either';
import { decodeNewPet, type NewPet } from '../../core';
import { collectWarnings } from './import-warnings';
import { placeOf, rowErrorText } from './row-errors';
import type { Row } from './rows';

/** Numbers of the rows that were read from a file, and warnings about these rows. */
export interface Counts {
  readonly rows: number;
  readonly invalidRows: number;
  readonly warnings: ReadonlyArray<string>;
}

/**
 * Reads the animals of the valid rows, and calls `onInvalid` with the error of each other row. `counts` counts the rows
 * that were read. Decodes the rows itself, unlike `importAll` of the core, because a check needs no store.
 */
export const readNewPets = (
  batches: AsyncIterable<ReadonlyArray<Row>>,
  onInvalid: (error: string) => void,
) => {
  let rows = 0;
  let invalidRows = 0;
  const { see, ignore, texts } = collectWarnings();

  /** Returns the animal of a row, or what is wrong with the row. */
  const decodeRow = (row: Row): E.Either<string, NewPet> => {
    if (E.isLeft(row.value)) return row.value;
    const { right: values } = row.value;
    see(row, values);
    const decoded = decodeNewPet(values);
    if (E.isLeft(decoded)) return E.left(rowErrorText(decoded.left, values));
    ignore(decoded.right.unknownFields);
    return E.right(decoded.right.value);
  };

  async function* newPets(): AsyncGenerator<NewPet> {
    for await (const batch of batches)
      for (const row of batch) {
        rows += 1;
        const newPet = decodeRow(row);
        if (E.isRight(newPet)) yield newPet.right;
        else {
          invalidRows += 1;
          onInvalid(`${placeOf(row)}: ${newPet.left}`);
        }
      }
  }

  return { newPets: newPets(), counts: (): Counts => ({ rows, invalidRows, warnings: texts() }) };
};
