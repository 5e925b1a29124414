import * as E from 'fp-ts/Either';
import { flow, pipe } from 'fp-ts/function';
import { parseJson } from '../../../adapters/http';
import type { NewPet } from '../../../core';
import { decodeRow } from './decode-row';
import type { Row } from './row';
import { maxRowBytes, splitRows } from './split-rows';

const toNewPet = (bytes: Uint8Array | undefined): E.Either<string, NewPet> =>
  pipe(
    bytes,
    E.fromNullable(`it is longer than ${maxRowBytes} bytes`),
    E.flatMap(
      flow(
        parseJson,
        E.mapLeft(({ reason }) => `it must be JSON: ${reason}`),
      ),
    ),
    E.flatMap(decodeRow),
  );

/** Reads a JSON text a line, each as strict as the body of a creation. */
export async function* readNdjson(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Row> {
  for await (const { line, bytes } of splitRows(chunks, 'ndjson')) {
    yield { line, newPet: toNewPet(bytes) };
  }
}
