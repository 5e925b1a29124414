import { CsvError, parse } from 'csv-parse';
import { maxRowLength } from './rows';

/** Record of a CSV file, and the number of its first line. */
export interface CsvRecord {
  readonly line: number;
  readonly cells: ReadonlyArray<string>;
}

/** Error of a quote that is misplaced or not closed. `line` is the first line of its record. */
export class MisplacedQuote extends Error {
  readonly line: number;

  constructor(line: number) {
    super(`misplaced quote in the record of line ${line}`);
    this.line = line;
  }
}

/** Error of a record above the maximum length. `line` is its first line. */
export class TooLongRecord extends Error {
  readonly line: number;
  /** True if the text contains a quote. An unclosed quote may then be the cause, which the parser does not report. */
  readonly mayBeQuote: boolean;

  constructor(line: number, mayBeQuote: boolean) {
    super(`the record of line ${line} is too long`);
    this.line = line;
    this.mayBeQuote = mayBeQuote;
  }
}

/**
 * Yields the records of each part of a CSV text (RFC 4180, with any line break). Throws at a misplaced quote or a long
 * record, after it has yielded the records before it.
 */
export async function* readCsvRecords(
  texts: AsyncIterable<string>,
): AsyncGenerator<ReadonlyArray<CsvRecord>> {
  let nextLine = 1;
  let hasQuote = false;
  let records: Array<CsvRecord> = [];
  const parser = parse({
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: maxRowLength,
  });
  // Counts lines here, because the parser counts a CRLF in quotes twice.
  parser.on('data', (cells: ReadonlyArray<string>) => {
    records.push({ line: nextLine, cells });
    nextLine += 1;
    if (hasQuote) for (const cell of cells) nextLine += cell.match(/\r\n|\n|\r/g)?.length ?? 0;
  });
  const takeRecords = (): ReadonlyArray<CsvRecord> => {
    const taken = records;
    records = [];
    return taken;
  };
  // Listens only because an error without a listener would end the process. `write` and `end` report it too.
  parser.on('error', () => undefined);
  const parsed = (send: (done: (error?: Error | null) => void) => unknown) =>
    new Promise<Error | undefined>((resolve) => {
      send((error) => {
        resolve(error ?? undefined);
      });
    });
  const throwIfWrong = (error: Error | undefined): void => {
    if (error === undefined) return;
    if (!(error instanceof CsvError)) throw error;
    throw error.code === 'CSV_MAX_RECORD_SIZE'
      ? new TooLongRecord(nextLine, hasQuote)
      : new MisplacedQuote(nextLine);
  };

  for await (const text of texts) {
    hasQuote ||= text.includes('"');
    const error = await parsed((done) => parser.write(text, done));
    yield takeRecords();
    throwIfWrong(error);
  }
  const error = await parsed((done) => parser.end(done));
  yield takeRecords();
  throwIfWrong(error);
}
