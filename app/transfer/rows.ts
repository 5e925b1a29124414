import type * as E from 'fp-ts/Either';

/** Row of a file: the number of its first line, and its values or the reason why they can't be read. */
export interface Row {
  readonly line: number;
  readonly value: E.Either<string, unknown>;
}

/** Maximum length of a row, so that a quote that is not closed does not read the whole file into memory. */
export const maxRowLength = 1_000_000;

/** Matches the first two bytes of UTF-16, with or without a byte order mark. */
const utf16Start = /^(?:\xff\xfe|\xfe\xff|.?\0)/s;

/**
 * Makes one character of each byte, and leaves out a byte order mark. Rows are decoded after they are found, so that
 * an error in the UTF-8 has a line number.
 */
export async function* toBinaryTexts(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let isStart = true;
  for await (const chunk of chunks) {
    const text = Buffer.from(chunk).toString('latin1');
    if (isStart && utf16Start.test(text)) throw new Error('the file is UTF-16; save it as UTF-8');
    yield isStart ? text.replace(/^\xef\xbb\xbf/, '') : text;
    isStart = false;
  }
}

export const toBytes = (binaryText: string): Buffer => Buffer.from(binaryText, 'latin1');
