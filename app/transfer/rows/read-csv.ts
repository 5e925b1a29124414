import * as E from 'fp-ts/Either';
import { identity, pipe } from 'fp-ts/function';
import { CategoryId, inDecimal, NewPet } from '../../../core';
import { csvFields } from './csv-fields';
import { decodeRow } from './decode-row';
import type { Row } from './row';
import { splitRows } from './split-rows';

type Header = ReadonlyArray<string>;

/** How the text of each field is read; what a field can't be is left to its codec to refuse. */
const readers: { readonly [K in keyof Required<NewPet>]: (text: string) => unknown } = {
  name: identity,
  categoryId: (text) =>
    pipe(
      inDecimal(CategoryId).decode(text),
      E.getOrElse((): unknown => text),
    ),
  status: identity,
};

const columns = Object.entries(readers);
const needed = Object.keys(NewPet.required);
const optional = Object.keys(NewPet.optional);

const checkHeader = (header: Header): E.Either<string, Header> => {
  const twice = columns.filter(([name]) => header.filter((other) => other === name).length > 1);
  const missing = needed.filter((name) => !header.includes(name));
  return twice.length + missing.length === 0
    ? E.right(header)
    : E.left(
        `the header must name the columns ${needed.join(' and ')}, and may name ${optional.join(' and ')}, each once`,
      );
};

/** An empty text is no value of an optional field. */
const toNewPet =
  (header: Header) =>
  (fields: ReadonlyArray<string>): E.Either<string, NewPet> => {
    if (fields.length !== header.length) {
      return E.left(`it has ${fields.length} fields, and the header ${header.length}`);
    }
    const present = columns.flatMap(([name, read]) => {
      const text = fields[header.indexOf(name)];
      return text === undefined || (text === '' && name in NewPet.optional) ? [] : [[name, read(text)]];
    });
    return decodeRow(Object.fromEntries(present));
  };

/** Reads CSV (RFC 4180). Without a header that can be understood there are no rows: it throws. */
export async function* readCsv(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Row> {
  const rows = splitRows(chunks, 'csv');
  const first = await rows.next();
  const header = pipe(
    first.done === true ? E.left('the header is missing') : csvFields(first.value.bytes),
    E.flatMap(checkHeader),
    E.getOrElse((reason): Header => {
      throw new Error(`line 1: ${reason}`);
    }),
  );
  for await (const { line, bytes } of rows) {
    yield { line, newPet: pipe(csvFields(bytes), E.flatMap(toNewPet(header))) };
  }
}
