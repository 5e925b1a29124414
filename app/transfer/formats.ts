import * as E from 'fp-ts/Either';
import { extname } from 'node:path';
import { parseJson, serialisePet } from '../../adapters/json';
import { inDecimal, Int64, NewPet, newPetFields, type Pet, type PetField, petFields } from '../../core';
import { counted } from '../terminal/text';
import { decodeRow, type Row, splitRows, tooLong } from './rows';

const parseRow = (bytes: Uint8Array | undefined): E.Either<string, NewPet> => {
  if (bytes === undefined) return tooLong;
  const value = parseJson(bytes);
  return E.isLeft(value) ? E.left(`invalid JSON: ${value.left.reason}`) : decodeRow(value.right);
};

async function* readNdjson(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Row> {
  for await (const { line, bytes } of splitRows(chunks, { hasQuotes: false })) {
    yield { line, newPet: parseRow(bytes) };
  }
}

async function* writeNdjson(pages: AsyncIterable<ReadonlyArray<Pet>>): AsyncGenerator<string> {
  for await (const pets of pages) yield pets.map((pet) => `${serialisePet(pet)}\n`).join('');
}

// This file parses CSV, because csv-parse can't both accept a quote in an unquoted field and reject text after a
// closing quote. After such an error, csv-parse does not resume at the next line.

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const endOfField = (text: string, start: number): number | undefined => {
  if (text[start] !== '"') {
    const comma = text.indexOf(',', start);
    return comma === -1 ? text.length : comma;
  }
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 2)) {
    const next = text[quote + 1];
    if (next === undefined || next === ',') return quote + 1;
    if (next !== '"') return undefined;
  }
  return undefined;
};

type Fields = E.Either<string, ReadonlyArray<string>>;

const splitFields = (text: string): Fields => {
  const fields: Array<string> = [];
  for (let start = 0; start <= text.length;) {
    const end = endOfField(text, start);
    if (end === undefined) return E.left('a quote is misplaced or not closed');
    const field = text.slice(start, end);
    fields.push(field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field);
    start = end + 1;
  }
  return E.right(fields);
};

const fieldsOf = (bytes: Uint8Array | undefined): Fields => {
  if (bytes === undefined) return tooLong;
  try {
    return splitFields(utf8.decode(bytes));
  } catch {
    return E.left('the row is not valid UTF-8');
  }
};

const { required, optional } = NewPet;

const quoted = (names: ReadonlyArray<string>): string => names.map((name) => `\`${name}\``).join(' and ');

const normalise = (column: string): string => column.trim().toLowerCase();

const checkHeader = (fields: Fields): ReadonlyArray<string> => {
  if (E.isLeft(fields)) throw new Error(`line 1: ${fields.left}`);
  const header = fields.right;
  for (const name of [...required, ...optional]) {
    if (header.includes(name)) continue;
    const misspelt = header.find((column) => normalise(column) === normalise(name));
    if (misspelt !== undefined)
      throw new Error(`line 1: unknown column ${JSON.stringify(misspelt)}; did you mean ${name}?`);
  }
  const occurrences = (name: string): number => header.filter((other) => other === name).length;
  if (required.every((name) => occurrences(name) === 1) && optional.every((name) => occurrences(name) <= 1)) {
    return header;
  }
  throw new Error(
    `line 1: the header must have the columns ${quoted(required)}, and may have ${quoted(optional)}, each only once`,
  );
};

const decimalInt64 = inDecimal(Int64);

const readField = ({ kind }: PetField, text: string): unknown =>
  kind === 'int64' ? E.getOrElseW(() => text)(decimalInt64.decode(text)) : text;

const toNewPet = (header: ReadonlyArray<string>, fields: ReadonlyArray<string>): Row['newPet'] => {
  if (fields.length !== header.length) {
    const advice =
      fields.length > header.length ? '; put double quotes around a value that contains a comma' : '';
    return E.left(
      `the row has ${counted(fields.length, 'field')}, but the header has ${header.length}${advice}`,
    );
  }
  const present = Object.entries<PetField>(newPetFields).flatMap(([name, field]) => {
    const text = fields[header.indexOf(name)];
    return text === undefined || (text === '' && !field.required) ? [] : [[name, readField(field, text)]];
  });
  return decodeRow(Object.fromEntries(present));
};

async function* readCsv(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Row> {
  const rows = splitRows(chunks, { hasQuotes: true });
  const first = await rows.next();
  const header = checkHeader(
    first.done === true ? E.left('the header is missing') : fieldsOf(first.value.bytes),
  );
  for await (const { line, lastLine, bytes } of rows) {
    const fields = fieldsOf(bytes);
    if (E.isLeft(fields) && lastLine > line) {
      throw new Error(`line ${line}: a quote in this row is not closed, or closed too early`);
    }
    yield { line, newPet: E.isLeft(fields) ? fields : toNewPet(header, fields.right) };
  }
}

const isField = (name: string): name is keyof Pet => name in petFields;

const columns = [...Object.keys(newPetFields), 'id'].filter(isField);

/**
 * Matches a field that must be quoted. Leading and trailing spaces and byte order marks need quotes too, because some
 * programs drop them.
 */
const needsQuotes = /[",\r\n\ufeff]|^ | $/;

const toField = (text: string): string => (needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const toRow = (fields: ReadonlyArray<string>): string => `${fields.map(toField).join()}\r\n`;

async function* writeCsv(pages: AsyncIterable<ReadonlyArray<Pet>>): AsyncGenerator<string> {
  yield toRow(columns);
  for await (const pets of pages) {
    yield pets.map((pet) => toRow(columns.map((column) => String(pet[column] ?? '')))).join('');
  }
}

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
 * accepts the same JSON as the body of `POST /v1/pets`. Throws if the header of a CSV file is invalid, or if a
 * misplaced quote may have joined several rows to one.
 */
export const readRows = (format: Format, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Row> =>
  format === 'csv' ? readCsv(chunks) : readNdjson(chunks);

export const writeRows = (
  format: Format,
  pages: AsyncIterable<ReadonlyArray<Pet>>,
): AsyncGenerator<string> => (format === 'csv' ? writeCsv(pages) : writeNdjson(pages));
