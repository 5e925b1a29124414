import type { Format } from './format';
import { nextQuoting, type Quoting } from './next-quoting';
import { withoutByteOrderMark } from './without-byte-order-mark';

/** One row as it stands in a file: the line that it begins on, and its bytes unless they are too many. */
interface RawRow {
  readonly line: number;
  readonly bytes: Uint8Array | undefined;
}

/** Without the line end. A name has 1 MB at most, and JSON may write each byte of it as six. */
export const maxRowBytes = 8_000_000;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

const withoutCarriageReturn = (bytes: Uint8Array): Uint8Array =>
  bytes.at(-1) === carriageReturn ? bytes.subarray(0, -1) : bytes;

/**
 * Splits a file into rows, in memory for one chunk and one row. Empty lines are no rows. In CSV a line may end inside of
 * quotes without ending its row.
 */
export async function* splitRows(chunks: AsyncIterable<Uint8Array>, format: Format): AsyncGenerator<RawRow> {
  let pieces: Array<Uint8Array> = [];
  let size = 0;
  let quoting: Quoting = 'start';
  let begins = 1;
  let line = 1;

  const keep = (piece: Uint8Array): void => {
    size += piece.length;
    if (size > maxRowBytes + 1) pieces = [];
    else pieces.push(piece);
  };

  const take = (): RawRow | undefined => {
    const [only = new Uint8Array(), ...others] = pieces;
    const bytes = withoutCarriageReturn(others.length === 0 ? only : Buffer.concat(pieces));
    const isTooLong = size > maxRowBytes + 1 || bytes.length > maxRowBytes;
    pieces = [];
    size = 0;
    if (isTooLong) return { line: begins, bytes: undefined };
    return bytes.length === 0 ? undefined : { line: begins, bytes };
  };

  /** The next line feed that ends a row, or -1. */
  const findEnd = (chunk: Uint8Array, from: number): number => {
    if (format !== 'csv') return chunk.indexOf(lineFeed, from);
    for (let index = from; index < chunk.length; index += 1) {
      const byte = chunk[index] ?? lineFeed;
      if (byte === lineFeed && quoting !== 'quoted') return index;
      if (byte === lineFeed) line += 1;
      quoting = nextQuoting(quoting, byte);
    }
    return -1;
  };

  for await (const chunk of withoutByteOrderMark(chunks)) {
    let start = 0;
    for (let end = findEnd(chunk, 0); end !== -1; end = findEnd(chunk, start)) {
      keep(chunk.subarray(start, end));
      const row = take();
      if (row !== undefined) yield row;
      start = end + 1;
      line += 1;
      begins = line;
      quoting = 'start';
    }
    keep(chunk.subarray(start));
  }
  const last = take();
  if (last !== undefined) yield last;
}
