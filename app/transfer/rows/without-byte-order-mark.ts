const byteOrderMark = Buffer.from('\ufeff');

/** The same bytes without the mark that may stand before the first of them. */
export async function* withoutByteOrderMark(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (head === undefined) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length < byteOrderMark.length) continue;
    yield byteOrderMark.equals(head.subarray(0, byteOrderMark.length))
      ? head.subarray(byteOrderMark.length)
      : head;
    head = undefined;
  }
  if (head !== undefined) yield head;
}
