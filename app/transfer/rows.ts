import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { fieldErrors, fieldErrorTexts, NewPet } from '../../core';

export interface Row {
  readonly line: number;
  readonly newPet: E.Either<string, NewPet>;
}

export const decodeRow = (value: unknown): E.Either<string, NewPet> =>
  pipe(
    NewPet.decode(value),
    E.mapLeft((errors) => fieldErrorTexts(fieldErrors(errors), 'the row').join('; ')),
  );

const byteOrderMark = Buffer.from('\ufeff');

async function* withoutByteOrderMark(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (head === undefined) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length < byteOrderMark.length) continue;
    const hasMark = byteOrderMark.equals(head.subarray(0, byteOrderMark.length));
    yield hasMark ? head.subarray(byteOrderMark.length) : head;
    head = undefined;
  }
  if (head !== undefined) yield head;
}

type Quoting = 'start' | 'plain' | 'quoted' | 'closed' | 'carriageReturn';

const comma = 0x2c;
const quote = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Returns the state of the CSV parser after a byte (RFC 4180). Only a quote at the start of a field opens a quoted
 * field. In a quoted field, a quote gives `closed`: it ends the field, unless a second quote follows and makes it an
 * escaped quote.
 */
const nextQuoting = (quoting: Quoting, byte: number): Quoting => {
  if (quoting === 'quoted') return byte === quote ? 'closed' : 'quoted';
  if (byte === carriageReturn) return 'carriageReturn';
  if (byte === comma) return 'start';
  return byte === quote && quoting !== 'plain' ? 'quoted' : 'plain';
};

interface RawRow {
  readonly line: number;
  readonly lastLine: number;
  readonly bytes: Uint8Array | undefined;
}

const maxRowBytes = 8_000_000;

const maxBytesWithCarriageReturn = maxRowBytes + 1;

export const tooLong = E.left(`the row is longer than ${maxRowBytes} bytes`);

const withoutCarriageReturn = (bytes: Uint8Array): Uint8Array =>
  bytes.at(-1) === carriageReturn ? bytes.subarray(0, -1) : bytes;

/**
 * Splits a file into rows for `readNdjson` and `readCsv` of formats.ts, and skips empty lines. With `hasQuotes`, as in
 * CSV, a line break in quotes does not end the row. Throws if a quote is not closed, or if a carriage return has no
 * line feed, because several rows may then look like one.
 */
export async function* splitRows(
  chunks: AsyncIterable<Uint8Array>,
  { hasQuotes }: { readonly hasQuotes: boolean },
): AsyncGenerator<RawRow> {
  let pieces: Array<Uint8Array> = [];
  let size = 0;
  let quoting: Quoting = 'start';
  let firstLine = 1;
  let line = 1;
  let quoteLine = 1;

  const isInQuotes = (): boolean => quoting === 'quoted';

  const throwUnclosedQuote = (): never => {
    throw new Error(`line ${quoteLine}: the quote that opens here is not closed`);
  };

  const addPiece = (piece: Uint8Array): void => {
    size += piece.length;
    if (size > maxBytesWithCarriageReturn && line > firstLine) throwUnclosedQuote();
    if (size > maxBytesWithCarriageReturn) pieces = [];
    else pieces.push(piece);
  };

  const takeRow = (): RawRow | undefined => {
    const [only = new Uint8Array(), ...others] = pieces;
    const bytes = withoutCarriageReturn(others.length === 0 ? only : Buffer.concat(pieces));
    const isTooLong = size > maxBytesWithCarriageReturn || bytes.length > maxRowBytes;
    pieces = [];
    size = 0;
    if (isTooLong) return { line: firstLine, lastLine: line, bytes: undefined };
    return bytes.length === 0 ? undefined : { line: firstLine, lastLine: line, bytes };
  };

  const findEnd = (chunk: Uint8Array, from: number): number => {
    if (!hasQuotes) return chunk.indexOf(lineFeed, from);
    for (let index = from; index < chunk.length; index += 1) {
      const byte = chunk[index] ?? lineFeed;
      if (byte === lineFeed && quoting !== 'quoted') return index;
      if (quoting === 'carriageReturn') {
        throw new Error(
          `line ${line}: a carriage return outside quotes must be followed by a line feed; convert the line ends to LF or CRLF`,
        );
      }
      if (byte === lineFeed) line += 1;
      const next = nextQuoting(quoting, byte);
      if (quoting === 'start' && next === 'quoted') quoteLine = line;
      quoting = next;
    }
    return -1;
  };

  for await (const chunk of withoutByteOrderMark(chunks)) {
    let start = 0;
    for (let end = findEnd(chunk, 0); end !== -1; end = findEnd(chunk, start)) {
      addPiece(chunk.subarray(start, end));
      const row = takeRow();
      if (row !== undefined) yield row;
      start = end + 1;
      line += 1;
      firstLine = line;
      quoting = 'start';
    }
    addPiece(chunk.subarray(start));
  }
  if (isInQuotes()) throwUnclosedQuote();
  const last = takeRow();
  if (last !== undefined) yield last;
}
