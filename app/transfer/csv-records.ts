import { CsvError, parse } from 'csv-parse';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
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

/** Yields the records of a CSV text (RFC 4180, with any line break). Throws at a misplaced quote or a long record. */
export async function* readCsvRecords(texts: AsyncIterable<string>): AsyncGenerator<CsvRecord> {
  let nextLine = 1;
  let hasQuote = false;
  async function* watched(): AsyncGenerator<string> {
    for await (const text of texts) {
      hasQuote ||= text.includes('"');
      yield text;
    }
  }
  const parser = parse({
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: maxRowLength,
    // Counts lines here, because the parser counts a CRLF in quotes twice, and discards records at an error.
    on_record: (cells) => {
      const line = nextLine;
      nextLine += 1 + (cells.join().match(/\r\n|\n|\r/g)?.length ?? 0);
      return [String(line), ...cells];
    },
  });
  // Ignores the error, because the parser reports it to the loop below as well.
  pipeline(Readable.from(watched()), parser).catch(() => undefined);
  const records: AsyncIterable<ReadonlyArray<string>> = parser;
  try {
    for await (const [line, ...cells] of records) yield { line: Number(line), cells };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw error.code === 'CSV_MAX_RECORD_SIZE'
      ? new TooLongRecord(nextLine, hasQuote)
      : new MisplacedQuote(nextLine);
  }
}
