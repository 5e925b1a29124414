import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { CategoryId, inDecimal, type NewPet } from '../../../core';
import { csvFields } from './csv-fields';
import { decodeRow } from './decode-row';
import type { Row } from './row';
import { splitRows } from './split-rows';

type Header = ReadonlyArray<string>;

const known = ['name', 'categoryId', 'status'];
const needed = ['name', 'categoryId'];

const checkHeader = (header: Header): E.Either<string, Header> => {
  const twice = known.filter((name) => header.filter((other) => other === name).length > 1);
  const missing = needed.filter((name) => !header.includes(name));
  return twice.length + missing.length === 0
    ? E.right(header)
    : E.left('the header must name the columns name and categoryId, and may name status, each once');
};

const toRecord =
  (header: Header) =>
  (fields: ReadonlyArray<string>): E.Either<string, ReadonlyMap<string, string>> =>
    fields.length === header.length
      ? E.right(new Map(header.map((name, index) => [name, fields[index] ?? ''])))
      : E.left(`it has ${fields.length} fields, and the header ${header.length}`);

const decodeRecord = (record: ReadonlyMap<string, string>): E.Either<string, NewPet> => {
  const categoryId = record.get('categoryId');
  const status = record.get('status') ?? '';
  return decodeRow({
    name: record.get('name'),
    categoryId: pipe(
      inDecimal(CategoryId).decode(categoryId),
      E.getOrElse((): unknown => categoryId),
    ),
    ...(status === '' ? {} : { status }),
  });
};

/** Reads CSV (RFC 4180). Without a header that can be understood there are no rows: it throws. */
export async function* readCsv(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Row> {
  const rows = splitRows(chunks, { quotes: true });
  const first = await rows.next();
  const header = pipe(
    first.done === true ? E.left('the header is missing') : csvFields(first.value.bytes),
    E.flatMap(checkHeader),
  );
  if (E.isLeft(header)) throw new Error(`line 1: ${header.left}`);
  for await (const { line, bytes } of rows) {
    const newPet = pipe(csvFields(bytes), E.flatMap(toRecord(header.right)), E.flatMap(decodeRecord));
    yield { line, newPet };
  }
}
