import { createReadStream, createWriteStream } from 'node:fs';
import { addAbortSignal, type Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { writeAtomically } from '../../adapters/files/partial';
import { writeFully } from '../terminal/terminal';
import { resolveOutputFile, type OutputFileOptions } from './output-file';

/** Opens a file, or standard input for `-`. A read fails once the signal is aborted. */
export const openSource = (file: string, signal: AbortSignal): Readable => {
  const source = addAbortSignal(signal, file === '-' ? process.stdin : createReadStream(file));
  // Without a listener, an error before the first read would end the process. The read throws the error as well.
  return source.on('error', () => undefined);
};

/** Writes a file. A failure leaves the file unchanged. */
export const replaceFile = async (
  target: string,
  texts: AsyncIterable<string>,
  signal: AbortSignal,
  options: OutputFileOptions,
): Promise<void> =>
  writeAtomically(resolveOutputFile(target, options), (partial) =>
    pipeline(texts, createWriteStream(partial, { flags: 'r+' }), { signal }),
  );

export const writeStandardOutput = (
  output: Writable,
  texts: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<void> => {
  // Wraps standard output, because `pipeline` ends its last stream, and standard output must stay open.
  const sink = new Writable({
    objectMode: true,
    write: (text: string, _encoding, done) => {
      void writeFully(output, text).then(() => {
        done();
      }, done);
    },
  });
  return pipeline(texts, sink, { signal });
};
