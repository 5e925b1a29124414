import * as E from 'fp-ts/Either';
import { extname } from 'node:path';
import { parseJsonBytes, serializePet } from '../../adapters/json';
import { isObject, type Pet } from '../../core';
import { readCsv, writeCsv, type WriteOptions } from './csv';
import { maxRowLength, misspeltName, type Row, toBinaryTexts, toBytes } from './rows';

export const formats = ['ndjson', 'csv'] as const;

export type Format = (typeof formats)[number];

const byExtension: Readonly<Record<string, Format>> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.csv': 'csv',
};

export const formatOfFile = (file: string): Format | undefined => byExtension[extname(file).toLowerCase()];

const parseRow = (text: string): Row['value'] => {
  const parsed = parseJsonBytes(toBytes(text));
  if (E.isLeft(parsed)) return E.left(`invalid JSON: ${parsed.left.reason}`);
  const misspelt = isObject(parsed.right) ? misspeltName(Object.keys(parsed.right)) : undefined;
  return misspelt === undefined ? parsed : E.left(`unknown field ${misspelt}`);
};

async function* readNdjson(texts: AsyncIterable<string>): AsyncGenerator<ReadonlyArray<Row>> {
  let line = 0;
  let rest = '';
  const rowsOf = (lines: ReadonlyArray<string>): ReadonlyArray<Row> =>
    lines.flatMap((text) => {
      line += 1;
      return text.trim() === '' ? [] : [{ line, value: parseRow(text) }];
    });
  for await (const text of texts) {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    yield rowsOf(lines);
    if (rest.length > maxRowLength)
      throw new Error(`line ${line + 1}: the row is longer than ${maxRowLength} bytes`);
  }
  yield rowsOf([rest]);
}

/**
 * Yields the rows of each part of a file. A row of NDJSON is like a body of `POST /v1/pets`. Throws if a row is too
 * long.
 */
export const readRows = (
  format: Format,
  chunks: AsyncIterable<Uint8Array>,
  escapeFormulas = false,
): AsyncGenerator<ReadonlyArray<Row>> => {
  const texts = toBinaryTexts(chunks);
  return format === 'csv' ? readCsv(texts, escapeFormulas) : readNdjson(texts);
};

async function* writeNdjson(pages: AsyncIterable<ReadonlyArray<Pet>>): AsyncGenerator<string> {
  for await (const pets of pages) yield pets.map((pet) => `${serializePet(pet)}\n`).join('');
}

export const writeRows = (
  format: Format,
  pages: AsyncIterable<ReadonlyArray<Pet>>,
  options: WriteOptions = {},
): AsyncGenerator<string> => (format === 'csv' ? writeCsv(pages, options) : writeNdjson(pages));
