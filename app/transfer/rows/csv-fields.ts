import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { maxRowBytes } from './split-rows';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** One field, and where it ends: at the comma behind it, or at the end of the row. */
interface Field {
  readonly value: string;
  readonly end: number;
}

const readPlain = (text: string, start: number): Field => {
  const comma = text.indexOf(',', start);
  const end = comma === -1 ? text.length : comma;
  return { value: text.slice(start, end), end };
};

/** A field in quotes, where a quote in it is doubled; undefined where they don't close, or something follows them. */
const readQuoted = (text: string, start: number): Field | undefined => {
  let value = '';
  for (let from = start + 1; ;) {
    const quote = text.indexOf('"', from);
    if (quote === -1) return undefined;
    value += text.slice(from, quote);
    const end = quote + 1;
    if (text[end] !== '"') return end === text.length || text[end] === ',' ? { value, end } : undefined;
    value += '"';
    from = end + 1;
  }
};

const splitFields = (text: string): E.Either<string, ReadonlyArray<string>> => {
  const fields: Array<string> = [];
  for (let start = 0; start <= text.length;) {
    const field = text[start] === '"' ? readQuoted(text, start) : readPlain(text, start);
    if (field === undefined) return E.left('a quote is out of place, or not closed');
    fields.push(field.value);
    start = field.end + 1;
  }
  return E.right(fields);
};

/** The fields of one CSV row byte for byte (RFC 4180), or in words what is wrong with it. */
export const csvFields = (bytes: Uint8Array | undefined): E.Either<string, ReadonlyArray<string>> =>
  pipe(
    bytes,
    E.fromNullable(`it is longer than ${maxRowBytes} bytes; is a quote not closed?`),
    E.flatMap(
      E.tryCatchK(
        (present) => utf8.decode(present),
        () => 'it is not valid UTF-8',
      ),
    ),
    E.flatMap(splitFields),
  );
