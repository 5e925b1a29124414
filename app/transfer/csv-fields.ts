import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import Papa from 'papaparse';
import { maxRowSize } from './split-rows';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const decodeUtf8 = (bytes: Uint8Array): E.Either<string, string> =>
  E.tryCatch(
    () => utf8.decode(bytes),
    () => 'it is not valid UTF-8',
  );

const splitFields = (text: string): E.Either<string, ReadonlyArray<string>> => {
  // The parser drops one byte order mark; the row's own first letter may be another.
  const { data, errors } = Papa.parse<ReadonlyArray<string>>(`\ufeff${text}`, {
    delimiter: ',',
    newline: '\n',
  });
  const [fields, ...others] = data;
  return fields === undefined || others.length > 0 || errors.length > 0
    ? E.left('a quote is out of place, or not closed')
    : E.right(fields);
};

/** The fields of one CSV row to the letter, or in words what is wrong with it. */
export const csvFields = (bytes: Uint8Array | undefined): E.Either<string, ReadonlyArray<string>> =>
  pipe(
    bytes,
    E.fromNullable(`it is longer than ${maxRowSize} bytes; is a quote not closed?`),
    E.flatMap(decodeUtf8),
    E.flatMap(splitFields),
  );
