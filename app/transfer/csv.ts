import { CsvError, parse } from 'csv-parse';
import { stringify } from 'csv-stringify/sync';
import * as E from 'fp-ts/Either';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { inDecimal, Int64, NewPet, newPetFields, type Pet, type PetField, petFields } from '../../core';
import { counted } from '../terminal/text';
import { decodeRow, maxRowLength, type Row } from './rows';

export interface CsvOptions {
  /** True if a quote protects texts that a spreadsheet would run as a formula. */
  readonly escapeFormulas?: boolean;
}

/**
 * Matches a text that a spreadsheet would run as a formula (OWASP, "CSV Injection"), and such a text after quotes.
 * Without the second, the import could not tell an escaped text from one that already began with a quote.
 */
const formula = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

const escapeFormula = (text: string): string => (formula.test(text) ? `'${text}` : text);

const unescapeFormula = (text: string): string =>
  text.startsWith("'") && formula.test(text) ? text.slice(1) : text;

const { required, optional } = NewPet;

const quoted = (names: ReadonlyArray<string>): string => names.map((name) => `\`${name}\``).join(' and ');

const normalise = (column: string): string => column.trim().toLowerCase();

const checkHeader = (header: ReadonlyArray<string>): void => {
  for (const name of [...required, ...optional]) {
    if (header.includes(name)) continue;
    const misspelt = header.find((column) => normalise(column) === normalise(name));
    if (misspelt !== undefined)
      throw new Error(`line 1: unknown column ${JSON.stringify(misspelt)}; did you mean ${name}?`);
  }
  const occurrences = (name: string): number => header.filter((other) => other === name).length;
  if (required.every((name) => occurrences(name) === 1) && optional.every((name) => occurrences(name) <= 1))
    return;
  throw new Error(
    `line 1: the header must have the columns ${quoted(required)}, and may have ${quoted(optional)}, each only once and separated by commas`,
  );
};

const otherSeparators = { ';': 'semicolons', '\t': 'tabs', '|': 'vertical bars' };

const refuseOtherSeparator = (text: string): void => {
  const [header = ''] = text.split(/[\r\n]/, 1);
  if (/^"?sep=/i.test(header))
    throw new Error('line 1: `sep=` is not supported; delete the line, and separate the columns by commas');
  const other = Object.entries(otherSeparators).find(([separator]) => header.includes(separator));
  if (other !== undefined && !header.includes(','))
    throw new Error(`line 1: the columns are separated by ${other[1]}; separate them by commas`);
};

const decimalInt64 = inDecimal(Int64);

const readField = ({ kind }: PetField, text: string, { escapeFormulas = false }: CsvOptions): unknown => {
  if (kind === 'int64') return E.getOrElseW(() => text)(decimalInt64.decode(text));
  return kind === 'text' && escapeFormulas ? unescapeFormula(text) : text;
};

const toNewPet = (
  header: ReadonlyArray<string>,
  fields: ReadonlyArray<string>,
  options: CsvOptions,
): Row['newPet'] => {
  if (fields.length !== header.length) {
    const advice =
      fields.length > header.length ? '; put double quotes around a value that contains a comma' : '';
    return E.left(
      `the row has ${counted(fields.length, 'field')}, but the header has ${header.length}${advice}`,
    );
  }
  const present = Object.entries<PetField>(newPetFields).flatMap(([name, field]) => {
    const text = fields[header.indexOf(name)];
    return text === undefined || (text === '' && !field.required)
      ? []
      : [[name, readField(field, text, options)]];
  });
  return decodeRow(Object.fromEntries(present));
};

const lineEnds = /\r\n|\n|\r/g;

const explain = (error: unknown, line: number): unknown => {
  if (!(error instanceof CsvError)) return error;
  const tooLong = `is longer than ${maxRowLength} characters, or has a quote that is not closed`;
  return new Error(
    error.code === 'CSV_MAX_RECORD_SIZE'
      ? `line ${line}: the row that begins here ${tooLong}`
      : `line ${line}: a quote in the row that begins here is misplaced or not closed; put a value with a quote in double quotes, and write the quote twice`,
  );
};

/** Reads the rows of a CSV file for formats.ts. Throws if the header is invalid, or at the first misplaced quote. */
export async function* readCsv(texts: AsyncIterable<string>, options: CsvOptions): AsyncGenerator<Row> {
  let nextLine = 1;
  const parser = parse({
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: maxRowLength,
    // Counts lines here, because the parser counts a CRLF in quotes twice, and discards records at an error.
    on_record: (fields) => {
      const line = nextLine;
      nextLine += 1 + (fields.join().match(lineEnds)?.length ?? 0);
      return [String(line), ...fields];
    },
  });
  async function* checked(): AsyncGenerator<string> {
    let isFirst = true;
    for await (const text of texts) {
      if (isFirst) refuseOtherSeparator(text);
      isFirst = false;
      yield text;
    }
  }
  // The parser reports the same error to the loop below.
  pipeline(Readable.from(checked()), parser).catch(() => undefined);
  const records: AsyncIterable<ReadonlyArray<string>> = parser;
  let header: ReadonlyArray<string> | undefined;
  try {
    for await (const [line, ...fields] of records) {
      if (fields.length === 1 && fields[0] === '') continue;
      if (header === undefined) checkHeader((header = fields));
      else yield { line: Number(line), newPet: toNewPet(header, fields, options) };
    }
  } catch (error) {
    throw explain(error, nextLine);
  }
  if (header === undefined) throw new Error('line 1: the header is missing');
}

const isField = (name: string): name is keyof Pet => name in petFields;

const columns = [...Object.keys(newPetFields), 'id'].filter(isField);

const toText = (rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  stringify([...rows], {
    record_delimiter: '\r\n',
    quote_record_delimiter: true,
    // Quotes spaces and byte order marks at the ends, because some programs drop them.
    quoted_match: /^[ \ufeff]|[ \ufeff]$/,
  });

const writeField = (pet: Pet, column: keyof Pet, { escapeFormulas = false }: CsvOptions): string => {
  const field: PetField = petFields[column];
  const text = String(pet[column] ?? '');
  return field.kind === 'text' && escapeFormulas ? escapeFormula(text) : text;
};

export async function* writeCsv(
  pages: AsyncIterable<ReadonlyArray<Pet>>,
  options: CsvOptions,
): AsyncGenerator<string> {
  yield toText([columns]);
  for await (const pets of pages)
    yield toText(pets.map((pet) => columns.map((column) => writeField(pet, column, options))));
}
