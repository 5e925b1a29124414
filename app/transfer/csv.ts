import { stringify } from 'csv-stringify/sync';
import * as E from 'fp-ts/Either';
import { isUtf8 } from 'node:buffer';
import { type FieldRule, fieldCheck, newPetRules, type Pet } from '../../core';
import { toPrintableJson } from '../terminal/text';
import { type CsvRecord, MisplacedQuote, readCsvRecords, TooLongRecord } from './csv-records';
import { maxRowLength, misspeltName, type Row, toBytes } from './rows';

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

const maxShownLength = 60;

const headerError = (header: ReadonlyArray<string>): Error => {
  const line = header.join();
  const [separator] = /^"?sep=|[;\t|]/i.exec(line) ?? [];
  const given = line === '' ? '' : `, not ${toPrintableJson(line.slice(0, maxShownLength))}`;
  return new Error(
    separator === undefined
      ? `line 1: the header must have the columns ${columns.filter(isRequired).join(' and ')}, and may have ${columns.filter((name) => !isRequired(name)).join(' and ')}, each only once and separated by commas${given}`
      : `line 1: the columns must be separated by commas, without ${JSON.stringify(separator)}`,
  );
};

const readHeader = (fields: ReadonlyArray<string>): ReadonlyArray<string> => {
  const header = fields.map((field) => toBytes(field).toString());
  const misspelt = misspeltName(header);
  if (misspelt !== undefined) throw new Error(`line 1: unknown column ${misspelt}`);
  for (const name of columns) {
    const { length: occurrences } = header.filter((column) => column === name);
    if (occurrences > 1 || (occurrences === 0 && isRequired(name))) throw headerError(header);
  }
  return header;
};

const notAscii = /[^\0-\x7f]/;

/** Decodes the bytes of a cell, or returns undefined if they are not UTF-8. */
const decodeCell = (binaryText: string): string | undefined => {
  if (!notAscii.test(binaryText)) return binaryText;
  const bytes = toBytes(binaryText);
  return isUtf8(bytes) ? bytes.toString() : undefined;
};

/** Returns the function that reads a cell of a column. It returns an invalid text as it is, for the core to reject. */
const readerOf = (name: string, escapeFormulas: boolean): ((text: string) => unknown) => {
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
  if (rule === undefined) return (text) => text;
  const { fromText } = fieldCheck(rule);
  return (text) => {
    if (text === '' && !rule.required) return undefined;
    const plain = rule.kind === 'text' && escapeFormulas ? unescapeFormula(text) : text;
    return fromText(plain) ?? plain;
  };
};

type Column = readonly [name: string, read: (text: string) => unknown];

const toValues = (columnsOfFile: ReadonlyArray<Column>, cells: ReadonlyArray<string>): Row['value'] => {
  if (cells.length !== columnsOfFile.length)
    return E.left(
      `${cells.length} fields instead of ${columnsOfFile.length}; put a value that contains a comma in double quotes`,
    );
  const values: Record<string, unknown> = {};
  for (const [index, [name, read]] of columnsOfFile.entries()) {
    const text = decodeCell(cells[index] ?? '');
    if (text === undefined) return E.left('the text is not UTF-8; save the file as UTF-8');
    const value = read(text);
    if (value !== undefined) values[name] = value;
  }
  return E.right(values);
};

const quoteAdvice = 'put a value with a quote in double quotes, and write the quote twice';

/** Describes what is wrong with the row where the parser stopped. */
const stopText = (error: MisplacedQuote | TooLongRecord): string => {
  if (error instanceof MisplacedQuote)
    return `a quote in the row that begins here is misplaced or not closed; ${quoteAdvice}`;
  const tooLong = `longer than ${maxRowLength} bytes`;
  return error.mayBeQuote
    ? `the row that begins here is ${tooLong}, or a quote in it is not closed; ${quoteAdvice}`
    : `the row is ${tooLong}`;
};

/** Reads the rows of a CSV file. Throws at an invalid header, at a misplaced quote, or at a row that is too long. */
export async function* readCsv(
  binaryTexts: AsyncIterable<string>,
  escapeFormulas: boolean,
): AsyncGenerator<ReadonlyArray<Row>> {
  let spreadsheetRow = 0;
  let header: ReadonlyArray<Column> | undefined;
  const toRow = ({ line, cells }: CsvRecord): ReadonlyArray<Row> => {
    spreadsheetRow += 1;
    if (cells.length === 1 && cells[0] === '') return [];
    if (header !== undefined) return [{ line, spreadsheetRow, value: toValues(header, cells) }];
    header = readHeader(cells).map((name) => [name, readerOf(name, escapeFormulas)]);
    return [];
  };
  try {
    for await (const records of readCsvRecords(binaryTexts)) yield records.flatMap(toRow);
  } catch (error) {
    if (!(error instanceof MisplacedQuote || error instanceof TooLongRecord)) throw error;
    if (error.line === 1) throw headerError([]);
    throw new Error(`line ${error.line}: ${stopText(error)}`, { cause: error });
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
