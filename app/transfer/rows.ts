import type * as E from 'fp-ts/Either';
import { newPetFieldNames } from '../../core';

/**
 * Row of a file: the number of its first line, and its values or the reason why they can't be read. `spreadsheetRow` is
 * its number in a spreadsheet.
 */
export interface Row {
  readonly line: number;
  readonly spreadsheetRow?: number;
  readonly value: E.Either<string, unknown>;
}

const normalise = (name: string): string => name.trim().toLowerCase();

/** Returns a hint if a name differs only in case or blanks from a missing field, and undefined otherwise. */
export const misspeltName = (names: ReadonlyArray<string>): string | undefined => {
  for (const field of newPetFieldNames) {
    if (names.includes(field)) continue;
    const misspelt = names.find((name) => normalise(name) === normalise(field));
    if (misspelt !== undefined) return `${JSON.stringify(misspelt)}; did you mean ${field}?`;
  }
  return undefined;
};

/** Maximum length of a row, so that an unclosed quote does not read the whole file into memory. */
export const maxRowLength = 1_000_000;

/** Matches the first two bytes of UTF-16, with or without a byte order mark. */
const utf16Start = /^(?:\xff\xfe|\xfe\xff|.?\0)/s;

const byteOrderMark = '\xef\xbb\xbf';

const withoutMark = (text: string): string => {
  if (utf16Start.test(text)) throw new Error('the file is UTF-16; save it as UTF-8');
  return text.startsWith(byteOrderMark) ? text.slice(byteOrderMark.length) : text;
};

/**
 * Yields texts with one character for each byte, without a byte order mark. Rows are decoded after they are found, so
 * that an error in the UTF-8 has a line number. Throws if the file is UTF-16.
 */
export async function* toBinaryTexts(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  // First bytes, until there are enough to contain a byte order mark. Undefined after that.
  let start: string | undefined = '';
  for await (const chunk of chunks) {
    const text = Buffer.from(chunk).toString('latin1');
    if (start === undefined) yield text;
    else {
      start += text;
      if (start.length < byteOrderMark.length) continue;
      yield withoutMark(start);
      start = undefined;
    }
  }
  if (start !== undefined) yield withoutMark(start);
}

export const toBytes = (binaryText: string): Buffer => Buffer.from(binaryText, 'latin1');
