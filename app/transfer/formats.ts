import { extname } from 'node:path';
import { serialisePet } from '../../adapters/json';
import type { Pet } from '../../core';
import { type CsvOptions, readCsv, writeCsv } from './csv';
import { decodeUtf8, readNdjson, type Row } from './rows';

export const formats = ['ndjson', 'csv'] as const;

export type Format = (typeof formats)[number];

const byExtension: Readonly<Record<string, Format>> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.csv': 'csv',
};

export const formatOfFile = (file: string): Format | undefined => byExtension[extname(file).toLowerCase()];

/**
 * Reads the rows of a file for commands/import.ts; `writeRows` writes them for commands/export.ts. A row of NDJSON
 * accepts the same JSON as the body of `POST /v1/pets`. Throws at the first line that is not UTF-8, or where it can't
 * tell the rows apart.
 */
export const readRows = (
  format: Format,
  chunks: AsyncIterable<Uint8Array>,
  options: CsvOptions = {},
): AsyncGenerator<Row> => {
  const texts = decodeUtf8(chunks);
  return format === 'csv' ? readCsv(texts, options) : readNdjson(texts);
};

async function* writeNdjson(pages: AsyncIterable<ReadonlyArray<Pet>>): AsyncGenerator<string> {
  for await (const pets of pages) yield pets.map((pet) => `${serialisePet(pet)}\n`).join('');
}

export const writeRows = (
  format: Format,
  pages: AsyncIterable<ReadonlyArray<Pet>>,
  options: CsvOptions = {},
): AsyncGenerator<string> => (format === 'csv' ? writeCsv(pages, options) : writeNdjson(pages));
