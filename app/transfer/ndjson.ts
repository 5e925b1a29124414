import * as E from 'fp-ts/Either';
import { parseJson, serialisePet } from '../../adapters/json';
import type { NewPet, Pet } from '../../core';
import { decodeRow, maxRowBytes, type Row, splitRows } from './rows';

const toNewPet = (bytes: Uint8Array | undefined): E.Either<string, NewPet> => {
  if (bytes === undefined) return E.left(`it is longer than ${maxRowBytes} bytes`);
  const value = parseJson(bytes);
  return E.isLeft(value) ? E.left(`it must be JSON: ${value.left.reason}`) : decodeRow(value.right);
};

/** Accepts and rejects the same JSON as the body of `POST /v1/pets`. */
export async function* readNdjson(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Row> {
  for await (const { line, bytes } of splitRows(chunks, { hasQuotes: false })) {
    yield { line, newPet: toNewPet(bytes) };
  }
}

export async function* writeNdjson(pages: AsyncIterable<ReadonlyArray<Pet>>): AsyncGenerator<string> {
  for await (const pets of pages) yield pets.map((pet) => `${serialisePet(pet)}\n`).join('');
}
