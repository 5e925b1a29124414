import { CsvError, parse } from 'csv-parse';
import { stringify } from 'csv-stringify/sync';
import * as E from 'fp-ts/Either';
import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type FieldRule, fieldType, newPetRules, type Pet } from '../../core';
import { maxRowLength, type Row, toBytes } from './rows';

/**
 * Matches a text that a spreadsheet would run as a formula (OWASP, "CSV Injection"), also after single quotes. With
 * `escapeFormulas`, an export puts one more quote before such a text, and an import removes it.
 */
const formula = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

const escapeFormula = (text: string): string => (formula.test(text) ? `'${text}` : text);

const unescapeFormula = (text: string): string =>
  text.startsWith("'") && formula.test(text) ? text.slice(1) : text;

const rules: Readonly<Record<string, FieldRule>> = newPetRules;

const columns = Object.keys(rules);

const isRequired = (name: string): boolean => rules[name]?.required === true;

const headerError = (header: ReadonlyArray<string>): Error => {
  const [separator] = /^"?sep=|[;\t|]/i.exec(header.join()) ?? [];
  return new Error(
    separator === undefined
      ? `line 1: the header must have the columns ${columns.filter(isRequired).join(' and ')}, and may have ${columns.filter((name) => !isRequired(name)).join(' and ')}, each only once and separated by commas`
      : `line 1: the columns must be separated by commas, without ${JSON.stringify(separator)}`,
  );
};

const normalise = (column: string): string => column.trim().toLowerCase();

const readHeader = (fields: ReadonlyArray<string>): ReadonlyArray<string> => {
  const header = fields.map((field) => toBytes(field).toString());
  for (const name of columns) {
    const { length: occurrences } = header.filter((column) => column === name);
    const misspelt = header.find((column) => normalise(column) === normalise(name));
    if (occurrences === 0 && misspelt !== undefined)
      throw new Error(`line 1: unknown column ${JSON.stringify(misspelt)}; did you mean ${name}?`);
    if (occurrences > 1 || (occurrences === 0 && isRequired(name))) throw headerError(header);
  }
  return header;
};

/** Reads a cell. Returns an invalid text as it is, because the core rejects it. */
const readField = (rule: FieldRule, text: string, escapeFormulas: boolean): unknown => {
  const plain = rule.kind === 'text' && escapeFormulas ? unescapeFormula(text) : text;
  return fieldType(rule).fromText(plain) ?? plain;
};

const toValues = (
  header: ReadonlyArray<string>,
  fields: ReadonlyArray<string>,
  escapeFormulas: boolean,
): Row['value'] => {
  if (fields.length !== header.length)
    return E.left(
      `${fields.length} fields instead of ${header.length}; put a value that contains a comma in double quotes`,
    );
  const cells = fields.map(toBytes);
  if (!cells.every(isUtf8)) return E.left('the text is not UTF-8; save the file as UTF-8');
  const present = Object.entries(rules).flatMap(([name, field]) => {
    const text = cells[header.indexOf(name)]?.toString();
    return text === undefined || (text === '' && !field.required)
      ? []
      : [[name, readField(field, text, escapeFormulas)]];
  });
  return E.right(Object.fromEntries(present));
};

/** Reads the rows of a CSV file. Throws if the header is invalid, or at the first misplaced quote. */
export async function* readCsv(
  binaryTexts: AsyncIterable<string>,
  escapeFormulas: boolean,
): AsyncGenerator<Row> {
  let [nextLine, spreadsheetRow] = [1, 0];
  const parser = parse({
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: maxRowLength,
    // Counts lines here, because the parser counts a CRLF in quotes twice, and discards records at an error.
    on_record: (fields) => {
      const line = nextLine;
      nextLine += 1 + (fields.join().match(/\r\n|\n|\r/g)?.length ?? 0);
      return [String(line), ...fields];
    },
  });
  // Ignores the error, because the parser reports it to the loop below as well.
  pipeline(Readable.from(binaryTexts), parser).catch(() => undefined);
  const records: AsyncIterable<ReadonlyArray<string>> = parser;
  let header: ReadonlyArray<string> | undefined;
  try {
    for await (const [line, ...fields] of records) {
      spreadsheetRow += 1;
      if (fields.length === 1 && fields[0] === '') continue;
      if (header === undefined) header = readHeader(fields);
      else yield { line: Number(line), spreadsheetRow, value: toValues(header, fields, escapeFormulas) };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    if (nextLine === 1) throw headerError([]);
    throw new Error(
      `line ${nextLine}: a quote in the row that begins here is misplaced or not closed; put a value with a quote in double quotes, and write the quote twice`,
      { cause: error },
    );
  }
  if (header === undefined) throw headerError([]);
}

export interface WriteOptions {
  readonly escapeFormulas?: boolean;
  /** True to begin the file with a byte order mark, by which Excel recognises UTF-8. */
  readonly bom?: boolean;
}

export async function* writeCsv(
  pages: AsyncIterable<ReadonlyArray<Pet>>,
  { escapeFormulas = false, bom = false }: WriteOptions,
): AsyncGenerator<string> {
  const toText = (pets: ReadonlyArray<Pet>, header = false): string =>
    stringify([...pets], {
      bom: header && bom,
      header,
      columns: [...columns, 'id'],
      cast: { string: (text) => (escapeFormulas ? escapeFormula(text) : text) },
      record_delimiter: '\r\n',
      quote_record_delimiter: true,
    });
  yield toText([], true);
  for await (const pets of pages) yield toText(pets);
}
