import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { parseJson } from '../../adapters/json';
import { fieldErrors, fieldErrorTexts, NewPet } from '../../core';

/** Row of a file: the number of its first line, and its animal or the reason why it has none. */
export interface Row {
  readonly line: number;
  readonly newPet: E.Either<string, NewPet>;
}

export const decodeRow = (value: unknown): E.Either<string, NewPet> =>
  pipe(
    NewPet.decode(value),
    E.mapLeft((errors) => fieldErrorTexts(fieldErrors(errors), 'the row').join('; ')),
  );

/** Maximum length of a row, so that a quote that is not closed does not read the whole file into memory. */
export const maxRowLength = 1_000_000;

const countLines = (text: string): number => text.split('\n').length - 1;

/** Matches the first two bytes of UTF-16, with or without a byte order mark. */
const utf16Start = /^(?:\xff\xfe|\xfe\xff|.?\0)/s;

const refuseUtf16 = (chunk: Uint8Array): void => {
  if (utf16Start.test(Buffer.from(chunk.subarray(0, 2)).toString('latin1')))
    throw new Error('the file is UTF-16; save it as UTF-8');
};

/** Decodes UTF-8, and removes a byte order mark. Throws at the first line that is not UTF-8. */
export async function* decodeUtf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 1;
  let isStart = true;
  const decode = (chunk: Uint8Array, stream: boolean): string => {
    try {
      return decoder.decode(chunk, { stream });
    } catch {
      const [valid = ''] = Buffer.from(chunk).toString().split('\ufffd', 1);
      throw new Error(`line ${line + countLines(valid)}: the text is not UTF-8; save the file as UTF-8`);
    }
  };
  for await (const chunk of chunks) {
    if (isStart) refuseUtf16(chunk);
    isStart = false;
    const text = decode(chunk, true);
    line += countLines(text);
    yield text;
  }
  decode(new Uint8Array(), false);
}

const parseRow = (text: string): Row['newPet'] => {
  const value = parseJson(Buffer.from(text));
  return E.isLeft(value) ? E.left(`invalid JSON: ${value.left.reason}`) : decodeRow(value.right);
};

/** Splits only at line feeds, because a JSON text may contain the other line ends of Node's `readline`. */
export async function* readNdjson(texts: AsyncIterable<string>): AsyncGenerator<Row> {
  let line = 0;
  let rest = '';
  const rowsOf = (lines: ReadonlyArray<string>): ReadonlyArray<Row> =>
    lines.flatMap((text) => {
      line += 1;
      return text.trim() === '' ? [] : [{ line, newPet: parseRow(text) }];
    });
  for await (const text of texts) {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    yield* rowsOf(lines);
    if (rest.length > maxRowLength)
      throw new Error(`line ${line + 1}: the row is longer than ${maxRowLength} characters`);
  }
  yield* rowsOf([rest]);
}
