import { extname } from 'node:path';
import type { Pet } from '../../core';
import { readCsv, writeCsv } from './csv';
import { readNdjson, writeNdjson } from './ndjson';
import type { Row } from './rows';

const byFormat = {
  ndjson: { read: readNdjson, write: writeNdjson },
  csv: { read: readCsv, write: writeCsv },
};

/** Format of a file: one JSON text per line, or CSV (RFC 4180) with a header. */
export type Format = keyof typeof byFormat;

export const formats: ReadonlyArray<Format> = ['ndjson', 'csv'];

const byExtension: Readonly<Record<string, Format>> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.csv': 'csv',
};

export const formatOfFile = (file: string): Format | undefined => byExtension[extname(file).toLowerCase()];

export const readRows = (format: Format, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Row> =>
  byFormat[format].read(chunks);

/** Yields the text page by page. `readRows` reads the same animals from it. */
export const writeRows = (format: Format, pages: AsyncIterable<ReadonlyArray<Pet>>): AsyncGenerator<string> =>
  byFormat[format].write(pages);
