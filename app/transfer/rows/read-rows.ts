import type { Format } from './format';
import { readCsv } from './read-csv';
import { readNdjson } from './read-ndjson';
import type { Row } from './row';

const readers = { ndjson: readNdjson, csv: readCsv };

/** Reads the rows of a file, right ones and wrong ones, in order. */
export const readRows = (format: Format, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Row> =>
  readers[format](chunks);
