import * as E from 'fp-ts/Either';
import { extname } from 'node:path';
import { parseJson, serialisePet } from '../../adapters/json';
import type { NewPet, Pet } from '../../core';
import { readCsv, writeCsv } from './csv';
import { decodeRow, type Row, splitRows, tooLong } from './rows';

const toNewPet = (bytes: Uint8Array | undefined): E.Either<string, NewPet> => {
  if (bytes === undefined) return tooLong;
  const value = parseJson(bytes);
  return E.isLeft(value) ? E.left(`the row must be JSON: ${value.left.reason}`) : decodeRow(value.right);
};

/** Accepts and rejects the same JSON as the body of `POST /v1/pets`. */
async function* readNdjson(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Row> {
  for await (const { line, bytes } of splitRows(chunks, { hasQuotes: false })) {
    yield { line, newPet: toNewPet(bytes) };
  }
}

async function* writeNdjson(pages: AsyncIterable<ReadonlyArray<Pet>>): AsyncGenerator<string> {
  for await (const pets of pages) yield pets.map((pet) => `${serialisePet(pet)}\n`).join('');
}

const byFormat = {
  ndjson: { read: readNdjson, write: writeNdjson },
  csv: { read: readCsv, write: writeCsv },
};

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

export const writeRows = (format: Format, pages: AsyncIterable<ReadonlyArray<Pet>>): AsyncGenerator<string> =>
  byFormat[format].write(pages);
